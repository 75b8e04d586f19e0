"""One attempt at a run: what the functions of the training loop work with, and the programs between segments."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec, segment_steps
from phylon.worker.algorithms.resets import reset, shrink_and_perturb
from phylon.worker.core.commands import Command, Commands
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams
from phylon.worker.execution import KeyWords, Population
from phylon.worker.execution.compilation import compile_over_devices, fast_compile_options
from phylon.worker.gang.gang import agree, collect
from phylon.worker.learning.observation_statistics import take_in_rollouts
from phylon.worker.learning.reward_scale import Moments
from phylon.worker.population import Evolution, PopulationScores, ranks
from phylon.worker.training.assembly import Parts
from phylon.worker.training.journal import Journal
from phylon.worker.training.randomness import EvaluationEpisodes, episodes_at_step, run_key
from phylon.worker.training.state import TrainingState
from phylon.worker.training.stopwatch import Stopwatch


@dataclass(frozen=True)
class Attempt:
    """Only `state` changes, and what `parts` contain: replay, environments, episode returns."""

    parts: Parts
    state: TrainingState
    run_dir: Path
    journal: Journal
    stopwatch: Stopwatch
    commands: Commands

    @property
    def spec(self) -> ExperimentSpec:
        return self.parts.spec

    @cached_property
    def key(self) -> KeyWords:
        return run_key(self.parts.seed)

    @cached_property
    def segment_steps(self) -> int:
        return segment_steps(self.spec)

    @cached_property
    def programs(self) -> "Programs":
        return make_programs(self.parts)

    @property
    def is_end(self) -> bool:
        return self.state.end is not None

    @property
    def best_member(self) -> int:
        """By fitness; a member without one is never the best."""
        return int(np.argmax(np.nan_to_num(self.state.fitness, nan=-np.inf)))

    @property
    def episodes(self) -> EvaluationEpisodes:
        """Of an evaluation at the present step, of the members here."""
        parts = self.parts
        return episodes_at_step(parts.seed, self.state.step, parts.size, self.spec.evaluation.episodes).of(
            parts.members
        )

    def order(self) -> Command | None:
        """What the launcher wants. An order to one process of a gang is an order to all; all ask at the same points."""
        wanted = self.commands.wanted
        if self.parts.gang.size == 1:
            return wanted
        orders = collect(self.parts.gang, wanted)
        self.commands.wanted = next((order for order in ("stop", "yield") if order in orders), None)
        return self.commands.wanted

    def clock(self) -> float:
        """Seconds of work on the run, as the first process counts them: decisions by the clock are the same in all."""
        return agree(self.parts.gang, self.stopwatch.wall)

    def count_updates(self, step: int) -> int:
        """Per member until this step; it follows from the step, so nothing has to be stored."""
        experience = self.parts.experience
        if self.spec.execution.overlap:
            step -= self.segment_steps
        return max(0, step - experience.warmup) // self.segment_steps * experience.updates


class Programs(NamedTuple):
    """Their keys follow from the run's key and the step. Programs that the spec does not use are never compiled."""

    plan_evolution: Callable[..., tuple[Evolution[Array], Array]]
    """(key, method state, hyper-parameters, scores) -> the method's plan, and the members' ranks [P]."""
    breed: Callable[..., tuple[Any, Population]]
    """(key, search state, population, scores) -> the next search state and population of a weight search."""
    centre: Callable[..., Population]
    """(search state, population) -> a population in which every slot holds the search's mean."""
    weight_deviation: Callable[[Any], Array]
    """(search state) -> the standard deviation of a weight, over all weights."""
    reset_members: Callable[..., Population]
    """(key, step, hyper-parameters, population) -> the population with the parts of `resets` drawn again."""
    take_in: Callable[[Moments, Any], Moments]
    """(statistics [P], observations [P, calls, envs, ...]) -> the statistics with these observations."""
    renew_members: Callable[..., Population]
    """(key, step, hyper-parameters, population, shares) -> the population after what a plan renews."""
    copy_population: Callable[[Population], Population]


def make_programs(parts: Parts) -> Programs:
    method, resets, work = parts.method, parts.spec.resets, parts.work

    def plan_evolution(
        key: Array, method_state: Any, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> tuple[Evolution[Array], Array]:
        evolve_key = derive(jax.random.wrap_key_data(key), "evolve", scores.step)
        return method.evolve(evolve_key, method_state, hyperparams, scores), ranks(scores.fitness)

    def breed(
        key: Array, search_state: Any, population: Population, scores: PopulationScores[Array]
    ) -> tuple[Any, Population]:
        assert method.search is not None
        breed_key = derive(jax.random.wrap_key_data(key), "breed", scores.step)
        return method.search.breed(breed_key, search_state, population, scores)

    def centre(search_state: Any, population: Population) -> Population:
        assert method.search is not None
        return method.search.centre(search_state, population)

    def weight_deviation(search_state: Any) -> Array:
        assert method.search is not None
        return method.search.deviation(search_state)

    def reset_members(key: Array, step: Array, hyperparams: Hyperparams, population: Population) -> Population:
        assert resets is not None
        keys = work.keys(derive(jax.random.wrap_key_data(key), "reset", step))
        return jax.vmap(partial(reset, work.algorithm, resets))(keys, hyperparams, population)

    def renew_members(
        key: Array, step: Array, hyperparams: Hyperparams, population: Population, shares: Array
    ) -> Population:
        keys = work.keys(derive(jax.random.wrap_key_data(key), "renew", step))
        return jax.vmap(partial(shrink_and_perturb, work.algorithm))(keys, hyperparams, population, shares)

    compile_fast = partial(jax.jit, compiler_options=fast_compile_options())
    return Programs(
        plan_evolution=compile_fast(plan_evolution),
        breed=compile_fast(breed),
        centre=compile_fast(centre),
        weight_deviation=compile_fast(weight_deviation),
        reset_members=compile_fast(reset_members),
        take_in=compile_over_devices(take_in_rollouts, parts.execution.devices, work.population_size),
        renew_members=compile_fast(renew_members),
        copy_population=jax.jit(partial(jax.tree.map, jnp.copy)),
    )
