"""How many members a worker's memory holds, and up to which number one more is nearly free. Pure arithmetic on the
forecast of a spec and on what runtime studies measured."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, get_args

from phylon.forecast.memory import PopulationMemory, batch_rows
from phylon.spec import ExperimentSpec, RuntimeStudySpec
from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec
from phylon.spec.algorithms.networks import MLPSpec
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.spec.runtime_study import StudyStrategy
from phylon.study import Measurement

if TYPE_CHECKING:
    from phylon.contract.advice import Limit  # which loads all that worker and service say to each other

USABLE = 0.75
"""Of a worker's memory. JAX takes no more of a GPU, and on a host there are libraries and environments beside us."""
NEARLY_FREE = 0.1
"""A further member is nearly free as long as it adds less than this share of what a single one costs."""
MOST_MEMBERS = 4096
LARGEST_BATCH = 65_536
"""Of a study."""
PROBE_SIZES = (1, 2, 4, 8, 16)
PROBED: tuple[StudyStrategy, ...] = ("vectorized", "sharded")
"""Strategies of a probe where any may be used: one of the two is the fastest almost everywhere."""


class Capacity(NamedTuple):
    members: int
    limit: "Limit"


class Point(NamedTuple):
    population_size: int
    milliseconds: float
    """Of one update of the whole population."""
    strategy: str


class Curve(NamedTuple):
    """What updates cost, by population size, at one size of networks and batches."""

    hidden: tuple[int, ...]
    batch_size: int
    fused_updates: int
    points: tuple[Point, ...]


class Speed(NamedTuple):
    single: float
    """Milliseconds that a member costs alone."""
    nearly_free_up_to: int
    """The largest population that was measured before a further member costs; 1 where every member does."""
    one_more: float
    """Milliseconds that a further member would add to the spec's population."""


class Subject(NamedTuple):
    """What a study would have to measure for a spec."""

    algorithm: str
    hidden: tuple[int, ...]
    batch_size: int
    strategies: tuple[StudyStrategy, ...]


def members_that_fit(
    memory: PopulationMemory, is_cpu: bool, at_once: int | None, device_bytes: int, host_bytes: int | None
) -> Capacity:
    """`device_bytes` are those of the devices that the members share; without `host_bytes` only they count."""
    if is_cpu:
        return Capacity(_most(lambda size: sum(memory.of(size, at_once)), device_bytes), "memory")
    on_device = Capacity(_most(lambda size: memory.of(size, at_once).device, device_bytes), "device")
    if host_bytes is None:
        return on_device
    return min(on_device, Capacity(_most(lambda size: memory.of(size, at_once).host, host_bytes), "host"))


def _most(needs: Callable[[int], int], available: int) -> int:
    """The largest population that needs no more than what is usable; a larger one never needs less."""
    return bisect_right(range(1, MOST_MEMBERS + 1), USABLE * available, key=needs)


def subject_of(spec: ExperimentSpec) -> Subject | str:
    """What to look for in studies, or why none can answer."""
    strategy = spec.execution.strategy
    algorithm, method = describe_algorithm(spec.algorithm), describe_method(spec.population.method)
    if algorithm.study is None:
        return f"Runtime studies do not measure {algorithm.name}."
    if method.joint is not None:
        return f"Members of {method.name} share a critic, and runtime studies measure members apart."
    network: MLPSpec | CNNSpec | ImpalaSpec = getattr(spec.algorithm, "network")  # noqa: B009  studies set its widths
    if network.kind != algorithm.study.network.get("kind", "mlp"):
        return f"Runtime studies measure {algorithm.name} with another network than {network.kind}."
    strategies = tuple(name for name in get_args(StudyStrategy) if strategy in ("auto", name))
    return Subject(algorithm.name, network.hidden, min(batch_rows(spec), LARGEST_BATCH), strategies)


def nearest_curve(measurements: Iterable[Measurement], subject: Subject) -> Curve | None:
    """Of the same algorithm, the sizes most like the subject's; where several strategies may be used, the fastest.

    A curve is of use only if it begins with a single member and goes on.
    """
    found: dict[tuple[tuple[int, ...], int, int], dict[int, Point]] = {}
    for cell in measurements:
        is_ours = (cell.framework, cell.algorithm) == ("jax", subject.algorithm) and cell.strategy in subject.strategies
        if not is_ours or cell.median is None:
            continue
        points = found.setdefault((cell.hidden, cell.batch_size, cell.fused_updates), {})
        known = points.get(cell.population_size)
        if known is None or cell.median < known.milliseconds:
            points[cell.population_size] = Point(cell.population_size, cell.median, cell.strategy)
    curves = [
        Curve(*shape, tuple(points[size] for size in sorted(points)))
        for shape, points in found.items()
        if 1 in points and len(points) > 1
    ]
    return min(curves, key=lambda curve: (distance(curve, subject), -curve.fused_updates), default=None)


def distance(curve: Curve, subject: Subject) -> float:
    """In doublings of the networks' work and of the batch; 0 for the very same sizes."""
    if curve.hidden == subject.hidden:
        networks = 0.0
    else:
        networks = abs(math.log2(_work(curve.hidden) / _work(subject.hidden))) or 0.01
    return networks + abs(math.log2(curve.batch_size / subject.batch_size))


def _work(hidden: Sequence[int]) -> int:
    """Products of a row, with some width of observations and actions."""
    return sum(inputs * outputs for inputs, outputs in pairwise((32, *hidden, 32)))


def speed_of(points: Sequence[Point], population_size: int) -> Speed:
    """From a curve's points, of which the first is that of a single member."""
    single, free, one_more = points[0].milliseconds, 1, points[0].milliseconds
    is_free = True
    for smaller, larger in pairwise(points):
        added = (larger.milliseconds - smaller.milliseconds) / (larger.population_size - smaller.population_size)
        is_free = is_free and added < NEARLY_FREE * single
        if is_free:
            free = larger.population_size
        if smaller.population_size <= population_size:
            one_more = max(0.0, added)
    return Speed(single, free, one_more)


def probe_of(subject: Subject) -> RuntimeStudySpec:
    """A small study of it: about a minute."""
    widths = "x".join(map(str, subject.hidden))
    return RuntimeStudySpec(
        version=2,
        name=f"probe-{subject.algorithm}-{widths}-batch-{subject.batch_size}",
        description="What a further member costs here, measured in short.",
        kind="runtime_study",
        algorithms=(subject.algorithm,),
        strategies=PROBED if len(subject.strategies) > 1 else subject.strategies,
        population_sizes=PROBE_SIZES,
        fused_updates=(10,),
        batch_sizes=(subject.batch_size,),
        hidden=(subject.hidden,),
        repeats=3,
        warmup_calls=1,
        seconds=1.0,
    )
