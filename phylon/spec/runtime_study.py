"""A runtime study: what an update of a population costs, by algorithm, framework, strategy and size."""

import itertools
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from phylon.registry import algorithms
from phylon.spec.algorithms.networks import Width
from phylon.spec.distributions import Model
from phylon.spec.problems import Problem, SpecInvalid, problems_of, showable
from phylon.spec.quantities import read_duration
from phylon.spec.reading import invalid, to_yaml
from phylon.spec.resources import ResourcesSpec
from phylon.spec.upgrade import upgrade

Framework = Literal["jax", "torch"]
StudyStrategy = Literal["sequential", "parallel", "vectorized", "sharded", "auto"]


def _measurable(name: str) -> str:
    names = [other.name for other in algorithms().values() if other.study is not None]
    if name not in names:
        remedy = f"use one of {', '.join(names)}"
        raise PydanticCustomError(
            "not_measurable", "runtime studies do not measure '{name}'", {"name": name, "remedy": remedy}
        )
    return name


AlgorithmName = Annotated[str, AfterValidator(_measurable)]
"""Of an algorithm whose description says how a study measures it."""
LARGEST_STUDY = 5_000
STRATEGIES_OF_TWINS: tuple[StudyStrategy, ...] = ("sequential", "parallel", "vectorized")
"""What the PyTorch twins can do; they have no counterpart of the others."""

Item = TypeVar("Item")


def _each_once(values: tuple[Item, ...]) -> tuple[Item, ...]:
    repeated = [value for place, value in enumerate(values) if value in values[:place]]
    if repeated:
        raise PydanticCustomError(
            "repeated", "{value} is listed twice", {"value": str(repeated[0]), "remedy": "list each value once"}
        )
    return values


Several = Annotated[tuple[Item, ...], Field(min_length=1, max_length=100), AfterValidator(_each_once)]
PopulationSize = Annotated[int, Field(strict=True, ge=1, le=4096)]
FusedUpdates = Annotated[int, Field(strict=True, ge=1, le=1000)]
BatchSize = Annotated[int, Field(strict=True, ge=1, le=65536)]
Hidden = Annotated[tuple[Width, ...], Field(min_length=1, max_length=8)]


class StudyCell(Model):
    """One point of a study: one way to update one population.

    Its algorithm may be a plug-in's that is not installed where a measurement is read.
    """

    algorithm: str
    framework: Framework
    strategy: StudyStrategy
    compiled: bool
    """By `torch.compile`. What JAX runs is always compiled, and says `false` here."""
    population_size: PopulationSize
    fused_updates: FusedUpdates
    batch_size: BatchSize
    hidden: Hidden

    @property
    def contender(self) -> str:
        """Who competes: `jax vectorized`, `torch sequential compiled`."""
        return f"{self.framework} {self.strategy}{' compiled' if self.compiled else ''}"

    @property
    def work(self) -> tuple[Any, ...]:
        """What all contenders of one comparison have in common."""
        return self.algorithm, self.hidden, self.batch_size, self.fused_updates, self.population_size


class RuntimeStudySpec(Model):
    """Every combination of the lists is measured, with synthetic data that lies ready on the device."""

    version: Literal[2] = 2
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    """Left out, it is made of the algorithms."""
    description: Annotated[str, Field(max_length=2000)] = ""
    kind: Literal["runtime_study"]
    algorithms: Several[AlgorithmName]
    frameworks: Several[Framework] = ("jax",)
    """`torch` needs the extra `torch` where the study runs."""
    strategies: Several[StudyStrategy] = ("sequential", "vectorized", "sharded", "auto")
    """PyTorch takes part in `sequential`, `parallel` and `vectorized`."""
    torch_compile: Annotated[bool, Field(strict=True)] = False
    """Measure `sequential` and `vectorized` PyTorch a second time, compiled."""
    population_sizes: Several[PopulationSize]
    fused_updates: Several[FusedUpdates] = (50,)
    """Updates of each member in one call. For PPO: gradient steps on one rollout of that many steps."""
    batch_sizes: Several[BatchSize] = (256,)
    """Rows of a gradient step. For PPO it is the number of environments, too."""
    hidden: Several[Hidden] = ((256, 256),)
    """Widths of the dense layers."""
    repeats: Annotated[int, Field(strict=True, ge=2, le=100)] = 7
    """Contenders for the same work take turns; each repeat is one value of the median and the quartiles."""
    warmup_calls: Annotated[int, Field(strict=True, ge=1, le=100)] = 2
    """Calls after the first one, which compiles, and before the first repeat."""
    seconds: Annotated[float, Field(strict=True, gt=0, le=600, allow_inf_nan=False), BeforeValidator(read_duration)] = (
        5.0
    )
    """About how long the repeats of a cell take together, e.g. `30s`; each makes at least one call."""
    resources: ResourcesSpec = ResourcesSpec()
    """What the study asks of its worker. Nothing is forecast: `memory: auto` asks for none."""

    @model_validator(mode="after")
    def _consistent(self) -> "RuntimeStudySpec":
        problems = _cross_field_problems(self)
        if problems:
            raise PydanticCustomError("inconsistent", "the parts do not fit together", {"problems": problems})
        return self

    def cells(self) -> tuple[StudyCell, ...]:
        """All that is to be measured: contenders for the same work beside each other, small populations first."""
        works = itertools.product(
            self.algorithms, self.hidden, self.batch_sizes, self.fused_updates, sorted(self.population_sizes)
        )
        return tuple(
            StudyCell(
                algorithm=algorithm,
                framework=framework,
                strategy=strategy,
                compiled=compiled,
                population_size=size,
                fused_updates=fused,
                batch_size=batch,
                hidden=hidden,
            )
            for algorithm, hidden, batch, fused, size in works
            for framework, strategy, compiled in _contenders(self)
        )


def _contenders(spec: RuntimeStudySpec) -> list[tuple[Framework, StudyStrategy, bool]]:
    found: list[tuple[Framework, StudyStrategy, bool]] = []
    for framework, strategy in itertools.product(spec.frameworks, spec.strategies):
        if framework == "jax" or strategy in STRATEGIES_OF_TWINS:
            found.append((framework, strategy, False))
        if framework == "torch" and spec.torch_compile and strategy in ("sequential", "vectorized"):
            found.append((framework, strategy, True))
    return found


def _cross_field_problems(spec: RuntimeStudySpec) -> list[Problem]:
    problems: list[Problem] = []
    if spec.torch_compile and "torch" not in spec.frameworks:
        problems.append(
            Problem(
                path="torch_compile",
                value=True,
                message="there is no PyTorch in this study that could be compiled",
                remedy="add torch to frameworks, or leave torch_compile out",
            )
        )
    contenders = len(_contenders(spec))
    if not contenders:
        problems.append(
            Problem(
                path="strategies",
                value=", ".join(spec.strategies),
                message="PyTorch can do none of these",
                remedy=f"add jax to frameworks, or one of {', '.join(STRATEGIES_OF_TWINS)} to strategies",
            )
        )
    if spec.resources.hosts > 1:
        problems.append(
            Problem(
                path="resources.hosts",
                value=spec.resources.hosts,
                message="a study measures one machine",
                remedy="leave it out",
            )
        )
    lists = (spec.algorithms, spec.hidden, spec.batch_sizes, spec.fused_updates, spec.population_sizes)
    count = contenders
    for values in lists:
        count *= len(values)
    if count > LARGEST_STUDY:
        problems.append(
            Problem(
                path="population_sizes",
                value=len(spec.population_sizes),
                message=f"this makes {count:,} cells, and a study has at most {LARGEST_STUDY:,}",
                remedy="shorten one of the lists, or write several studies",
            )
        )
    return problems


def parse_study(raw: Any) -> RuntimeStudySpec:
    """Raises `SpecInvalid` with every problem found."""
    if not isinstance(raw, dict):
        raise invalid(
            "a runtime study is a mapping of fields",
            "write at least the fields kind, algorithms, population_sizes",
            showable(raw),
        )
    document = _expand(upgrade(cast(dict[str, Any], raw)))
    try:
        return RuntimeStudySpec.model_validate(document)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, RuntimeStudySpec, document)) from None


LISTS = ("algorithms", "frameworks", "strategies", "population_sizes", "fused_updates", "batch_sizes")


def _expand(written: dict[str, Any]) -> dict[str, Any]:
    """One value in the place of a list means a list of one; a study without a name is called by its algorithms."""
    document = written | {name: [written[name]] for name in LISTS if isinstance(written.get(name), str | int | float)}
    names = document.get("algorithms")
    if "name" not in document and isinstance(names, list):
        document["name"] = "-".join(["runtime", *(str(name) for name in cast(list[Any], names))])[:100]
    return document


def study_to_yaml(spec: RuntimeStudySpec) -> str:
    return to_yaml(spec.model_dump(mode="json"))
