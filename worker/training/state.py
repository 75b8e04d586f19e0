"""All that changes while a population trains, and how it is saved to and restored from a checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import EndReason
from phylon.start.material import Material
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Hyperparams
from phylon.worker.execution import Population
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.gang.gang import gather
from phylon.worker.population import founding_values, sample_hyperparams
from phylon.worker.population.fitness import History, empty_history, fitness_spec
from phylon.worker.training.assembly import Parts
from phylon.worker.training.checkpoint import Arrays, add_prefix, flatten, strip_prefix, unflatten
from phylon.worker.training.lineage import Lineage
from phylon.worker.training.metrics import UpdateMetrics
from phylon.worker.training.randomness import run_key
from phylon.worker.training.start import begin_with


class Plateau(NamedTuple):
    """How long the best member's return has not risen."""

    peak: float = -np.inf
    """At the last rise."""
    evaluations: int = 0
    """Since then."""


@dataclass
class TrainingState:
    """Replay and episode returns belong to it as well, but live in `Parts`, beside the environments."""

    step: int
    """Environment steps per member."""
    population: Population
    """Of those whose weights are here; all else is of the whole population, and the same in all its processes."""
    hyperparams: dict[str, NDArray[np.float32]]
    """As the method planned them, [P] for each name."""
    placed: Hyperparams
    """Those of them whose weights are here, where these live."""
    method_state: Any
    fitness: NDArray[np.float32]
    """What members are ranked by, [P]; NaN before the first evaluation."""
    history: History
    was_reset: NDArray[np.bool_]
    """[P]: since the last evolution."""
    returns: NDArray[np.float32]
    """Episodes of the latest evaluation, [P, episodes]; NaN before the first."""
    diverged: NDArray[np.bool_]
    """Members that are set aside, [P]; see `divergence`."""
    lineage: Lineage
    update_metrics: UpdateMetrics
    reported_step: int
    """The step of the latest metrics event of this attempt, or the one that the attempt started from."""
    search_state: Any = ()
    """Of a method that makes weights itself."""
    latest_metrics: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Of the latest updates, [P]. There are always some between a checkpoint and an evolution, so none are stored; only
    the evolution that an extended run makes up for lacks what its method reports of them."""
    seconds: float = 0.0
    """Of work on the run when the latest segment ended."""
    seconds_before: float = 0.0
    """When the segment before it ended; a checkpoint needs none of it."""
    plateau: Plateau = field(default_factory=Plateau)
    end: EndReason | None = None
    """Which limit was reached; the run ends at this border. It follows from the rest, so it is not stored."""
    had_ended: bool = False
    """The checkpoint that the attempt began with was the end of the run, by the budget that it had then. It lasts until
    the next segment is done."""


def make_founders(parts: Parts, start: Sequence[Material] = ()) -> TrainingState:
    """Step 0: new members with hyper-parameters drawn from their distributions, and weights of `start` if there are."""
    size, words = parts.size, run_key(parts.seed)

    @partial(jax.jit, compiler_options=fast_compile_options())
    def draw(key: jax.Array) -> tuple[Hyperparams, Any]:
        hyperparams = sample_hyperparams(
            derive(key, "hyperparams"), parts.spec.algorithm, size, founding_values(parts.spec)
        )
        hyperparams |= {name: jnp.full(size, value) for name, value in parts.method.hyperparams.items()}
        return hyperparams, parts.method.init(derive(key, "method"), hyperparams)

    hyperparams, method_state = jax.device_get(draw(jax.random.wrap_key_data(jnp.asarray(words))))
    placed = parts.execution.place(parts.take_held(hyperparams))
    population, search_state = parts.execution.init(words, placed), ()
    if start:
        population = begin_with(start, parts, population)
    if parts.method.search:
        begin = jax.jit(parts.method.search.begin, compiler_options=fast_compile_options())
        search_state, population = begin(derive(jax.random.wrap_key_data(jnp.asarray(words)), "search"), population)
    parts.collector.restart(0)
    return TrainingState(
        step=0,
        population=population,
        hyperparams=hyperparams,
        placed=placed,
        method_state=method_state,
        fitness=np.full(size, np.nan, np.float32),
        history=empty_history(fitness_spec(parts.spec), size),
        was_reset=np.zeros(size, np.bool_),
        returns=np.full((size, parts.spec.evaluation.episodes), np.nan, np.float32),
        diverged=np.zeros(size, np.bool_),
        lineage=Lineage(size),
        update_metrics=UpdateMetrics(),
        reported_step=0,
        search_state=search_state,
    )


def to_arrays(state: TrainingState, parts: Parts) -> Arrays:
    """Weights and replay of those that are here, and what is the same in all processes."""
    return {
        "step": np.array(state.step),
        "is_end": np.array(state.end is not None),
        "seconds": np.array(state.seconds),
        **add_prefix("plateau", {name: np.array(value) for name, value in state.plateau._asdict().items()}),
        "fitness": state.fitness,
        "returns": state.returns,
        "was_reset": state.was_reset,
        "diverged": state.diverged,
        **add_prefix("history", state.history._asdict()),
        **flatten("population", state.population),
        **flatten("hyperparams", state.hyperparams),
        **flatten("method", state.method_state),
        **flatten("search", state.search_state),
        **add_prefix("lineage", state.lineage.to_arrays()),
        **add_prefix("update_metrics", state.update_metrics.to_arrays()),
        **add_prefix("episodes", gather(parts.gang, parts.collector.episodes.to_arrays())),
        **add_prefix("replay", parts.experience.to_arrays()),
    }


def from_arrays(arrays: Arrays, number: int, parts: Parts) -> TrainingState:
    """The state that checkpoint `number` holds; also fills the replay and restarts the environments. `arrays`: what
    `to_arrays` gave, by however many processes it was written."""
    work = parts.work
    numbers = {name: jax.ShapeDtypeStruct((parts.size,), jnp.float32) for name in work.hyperparams}
    hyperparams = unflatten("hyperparams", numbers, arrays)
    method_shape = jax.eval_shape(parts.method.init, jax.random.key(0), numbers)
    population_shape, search_shape = parts.execution.shape, ()
    if parts.method.search:
        search_shape, _ = jax.eval_shape(parts.method.search.begin, jax.random.key(0), population_shape)
    lineage, update_metrics = Lineage(parts.size), UpdateMetrics()
    lineage.from_arrays(strip_prefix("lineage", arrays))
    update_metrics.from_arrays(strip_prefix("update_metrics", arrays))
    episodes = strip_prefix("episodes", arrays)
    parts.collector.episodes.from_arrays(
        {name: rows[parts.members.start : parts.members.stop] for name, rows in episodes.items()}
    )
    parts.experience.from_arrays(strip_prefix("replay", arrays))
    parts.collector.restart(number)
    return TrainingState(
        step=int(arrays["step"]),
        population=parts.execution.place(unflatten("population", population_shape, arrays)),
        hyperparams=hyperparams,
        placed=parts.execution.place(parts.take_held(hyperparams)),
        method_state=unflatten("method", method_shape, arrays),
        fitness=arrays["fitness"],
        history=History(**strip_prefix("history", arrays)),
        was_reset=arrays["was_reset"],
        returns=arrays["returns"],
        diverged=arrays.get("diverged", np.zeros(parts.size, np.bool_)),  # older checkpoints have none
        lineage=lineage,
        update_metrics=update_metrics,
        reported_step=int(arrays["step"]),
        search_state=unflatten("search", search_shape, arrays),
        seconds=float(arrays["seconds"]),
        plateau=Plateau(float(arrays["plateau/peak"]), int(arrays["plateau/evaluations"])),
        had_ended=bool(arrays.get("is_end", False)),  # older checkpoints do not say
    )
