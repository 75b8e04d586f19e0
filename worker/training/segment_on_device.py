"""A segment as one program: environments, acting, replay and updates, each device for its own members.

The host hands over keys and the places of the drawn transitions when a segment begins, and reads rewards, ends of
episodes and reports when it is over. In between nothing moves to it or from it.
"""

from functools import partial
from typing import Any, Generic, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.worker.algorithms.normalisation import STATISTICS
from phylon.worker.core.types import AnyArray, Array, Hyperparams
from phylon.worker.environments.jax_environment import Pool
from phylon.worker.execution import Execution, Population, Report, Workload
from phylon.worker.execution.compilation import compile_over_devices
from phylon.worker.execution.members import learning_keys
from phylon.worker.learning.observation_statistics import take_in_rollouts
from phylon.worker.replay import device_ring
from phylon.worker.replay.device_ring import DeviceRing
from phylon.worker.training.collect_on_device import DeviceCollector
from phylon.worker.training.randomness import run_key
from phylon.worker.training.replay_on_device import DeviceReplay
from phylon.worker.training.stopwatch import Stopwatch


class Inputs(NamedTuple, Generic[AnyArray]):
    """What the host hands over, [members, ...]."""

    acting: AnyArray
    """Words of the keys of every call of the policies, [members, calls, 2]."""
    learning: AnyArray
    """Words of the keys of updates, [members, 2]."""
    drawn: AnyArray
    """Places in the ring, [members, calls of updates, updates, batch]."""
    first: AnyArray
    """The number of the segment's first update; 0 in the first segment of a run alone."""
    start: AnyArray
    """The place in the ring where the segment goes."""
    oldest: AnyArray
    """The place of the oldest transition, once the segment is there."""
    filled: AnyArray
    """How many transitions are there then."""


class Outcome(NamedTuple):
    """What the host reads, [members, ...]."""

    reward: Array
    """[members, calls, envs]"""
    ended: Array
    """bool, where episodes ended."""
    reports: Report
    """[members, calls of updates]"""


class DeviceSegment:
    def __init__(
        self, work: Workload, execution: Execution, collector: DeviceCollector, replay: DeviceReplay, seed: int
    ) -> None:
        assert execution.learn is not None
        self._size, self._execution, self._learn = work.population_size, execution, execution.learn
        self._collector, self._replay = collector, replay
        self._has_statistics = STATISTICS in work.algorithm.layout.statistics
        self._key = run_key(seed)
        self._learning = np.asarray(jax.random.key_data(learning_keys(work, jnp.asarray(self._key))))
        self.program = compile_over_devices(self._run, execution.devices, self._size, (0, 2, 3, 4))

    def run(
        self, segment: int, calls: int, population: Population, hyperparams: Hyperparams, stopwatch: Stopwatch
    ) -> tuple[Population, list[Report]]:
        """`calls` of the policies, and the updates that follow; uses the population up.

        The reports are in host memory, one for each call of updates.
        """
        replay, collector = self._replay, self._collector
        assert collector.now is not None, "restart the environments first"
        with stopwatch.phase("sample"):
            inputs = self.prepare(segment, calls)
        with stopwatch.phase("transfer"):
            inputs = self._execution.place(inputs)
        with stopwatch.phase("update"):
            population, pool, obs, replay.rings, outcome = self.program(
                population, hyperparams, *collector.now, replay.rings, inputs
            )
            collector.now = pool, obs
            replay.added += calls * replay.envs
            reward, ended, reports = jax.device_get(outcome)
            collector.episodes.add(reward, ended)
        each = range(replay.updates // replay.at_once)
        return population, [jax.tree.map(lambda leaf, number=number: leaf[:, number], reports) for number in each]

    def prepare(self, segment: int, calls: int) -> Inputs[NDArray[Any]]:
        """All that the program is given by the host."""
        replay, added = self._replay, calls * self._replay.envs
        window = replay.window(added)

        def by_member(number: int, dtype: str = "int32") -> Any:
            return np.full(self._size, number, dtype)

        return Inputs(
            acting=np.swapaxes(self._execution.acting.keys(self._key, segment, calls), 0, 1),
            learning=self._learning,
            drawn=replay.draw(segment, added),
            first=by_member(segment * replay.updates, "uint32"),
            start=by_member(replay.start),
            oldest=by_member(window.oldest),
            filled=by_member(window.size),
        )

    def _run(
        self,
        population: Population,
        hyperparams: Hyperparams,
        pool: Pool,
        obs: Array,
        rings: DeviceRing,
        given: Inputs[Array],
    ) -> tuple[Population, Pool, Array, DeviceRing, Outcome]:
        """A segment of some members."""
        replay = self._replay
        policies = self._execution.acting.actor(population, hyperparams).policies
        pool, obs, rollout = self._collector.segment(policies, given.acting, pool, obs)
        rings = jax.vmap(device_ring.write)(rings, rollout, given.start)
        population, statistics = self._observe(population, rollout.transitions.obs, given.first)
        keys = jax.random.wrap_key_data(given.learning)
        gather = partial(device_ring.gather, envs=replay.envs, n_step=replay.n_step)

        def learn(population: Population, call: tuple[Array, Array]) -> tuple[Population, Report]:
            before, drawn = call
            batches = jax.vmap(gather)(rings, drawn, given.oldest, given.filled)
            return self._learn(population, hyperparams, batches, keys, given.first + before)

        drawn = jnp.swapaxes(given.drawn, 0, 1)
        before = replay.at_once * jnp.arange(len(drawn), dtype=jnp.uint32)
        population, reports = jax.lax.scan(learn, population, (before, drawn))
        if self._has_statistics:
            population = population._replace(**{STATISTICS: statistics})
        ended = (rollout.transitions.terminated + rollout.truncated) > 0
        by_member = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), reports)
        return population, pool, obs, rings, Outcome(rollout.transitions.reward, ended, by_member)

    def _observe(self, population: Population, obs: Array, first: Array) -> tuple[Population, Any]:
        """The population as it learns, and its statistics of observations afterwards; see `observing.py`."""
        if not self._has_statistics:
            return population, None
        known = getattr(population, STATISTICS)
        statistics = take_in_rollouts(known, obs)

        def choose(new: Array, old: Array) -> Array:
            return jnp.where((first == 0).reshape(-1, *(1,) * (old.ndim - 1)), new, old)

        return population._replace(**{STATISTICS: jax.tree.map(choose, statistics, known)}), statistics
