"""Random numbers of the host, derived from the run's seed, their purpose and a counter, so nothing has to be stored."""

import zlib
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution import KeyWords


def run_key(seed: int) -> KeyWords:
    return np.asarray(jax.random.key_data(jax.random.key(seed)))


def environment_seeds(seed: int, purpose: str, number: int, count: int) -> NDArray[np.uint32]:
    """Seeds [count] below 2^31, which every environment library accepts."""
    sequence = np.random.SeedSequence([seed, zlib.crc32(purpose.encode()), number])
    return sequence.generate_state(count) >> np.uint32(1)


def random_actions(seed: int, segment: int, shape: tuple[int, ...], info: EnvironmentInfo) -> NDArray[Any]:
    """Actions of the warm-up, [*shape, ...], uniform over what the environment accepts."""
    generator = np.random.default_rng([seed, zlib.crc32(b"warmup"), segment])
    if info.is_discrete:
        return generator.integers(0, info.action_size, shape, np.int32)
    return generator.uniform(-1, 1, (*shape, info.action_size)).astype(np.float32)
