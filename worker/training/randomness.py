"""Random numbers of the host, derived from the run's seed, their purpose and a counter, so nothing has to be stored."""

import zlib
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution import KeyWords


def run_key(seed: int) -> KeyWords:
    return np.asarray(jax.random.key_data(jax.random.key(seed)))


def environment_seeds(seed: int, purpose: str, number: int, count: int, first: int = 0) -> NDArray[np.uint32]:
    """Seeds [count] below 2^31, which every environment library accepts; `first`: how many belong to others."""
    return _words(seed, purpose, number, first + count)[first:] >> np.uint32(1)


class EvaluationEpisodes(NamedTuple):
    """Which episodes an evaluation plays, and by what chance members act in them."""

    seeds: NDArray[np.uint32]
    """Of the environments, [episodes]: every member plays the same episodes."""
    keys: KeyWords
    """Of the policies, [P, 2]: each member has its own."""

    def of(self, members: range) -> "EvaluationEpisodes":
        """As these members play them."""
        return self._replace(keys=self.keys[members.start : members.stop])


def episodes_at_step(seed: int, step: int, population_size: int, episodes: int) -> EvaluationEpisodes:
    """Other episodes at every evaluation, so that selection cannot fit a few beginnings.

    Their seeds are even and those of the final evaluation are odd: what a run is finally measured by, no selection saw.
    """
    seeds = environment_seeds(seed, "evaluation", step, episodes) & ~np.uint32(1)
    return EvaluationEpisodes(seeds, _member_keys(seed, "evaluation policy", step, population_size))


def final_episodes(seed: int, round: int, population_size: int, episodes: int) -> EvaluationEpisodes:
    """Of a round of the final evaluation; see `episodes_at_step`."""
    seeds = environment_seeds(seed, "final", round, episodes) | np.uint32(1)
    return EvaluationEpisodes(seeds, _member_keys(seed, "final policy", round, population_size))


def random_actions(seed: int, segment: int, shape: tuple[int, ...], info: EnvironmentInfo) -> NDArray[Any]:
    """Actions of the warm-up, [*shape, ...], uniform over what the environment accepts."""
    generator = np.random.default_rng([seed, zlib.crc32(b"warmup"), segment])
    if info.is_discrete:
        return generator.integers(0, info.action_size, shape, np.int32)
    if info.action_counts:
        return generator.integers(0, info.action_counts, (*shape, len(info.action_counts)), np.int32)
    return generator.uniform(-1, 1, (*shape, info.action_size)).astype(np.float32)


def _member_keys(seed: int, purpose: str, number: int, size: int) -> KeyWords:
    """Keys [size, 2]; a slot's key does not depend on the size."""
    return _words(seed, purpose, number, 2 * size).reshape(size, 2)


def _words(seed: int, purpose: str, number: int, count: int) -> NDArray[np.uint32]:
    sequence = np.random.SeedSequence([seed, zlib.crc32(purpose.encode()), number])
    return sequence.generate_state(count).astype(np.uint32, copy=False)
