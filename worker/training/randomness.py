"""Random numbers of the host side, derived from the run's seed, their purpose and a counter: nothing to store."""

import zlib

import jax
import numpy as np
from numpy.typing import NDArray

from worker.execution import KeyWords


def run_key(seed: int) -> KeyWords:
    return np.asarray(jax.random.key_data(jax.random.key(seed)))


def environment_seeds(seed: int, purpose: str, number: int, count: int) -> NDArray[np.uint32]:
    """Seeds [count] below 2^31, which every environment library accepts."""
    sequence = np.random.SeedSequence([seed, zlib.crc32(purpose.encode()), number])
    return sequence.generate_state(count) >> np.uint32(1)


def uniform_actions(seed: int, segment: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """What members do while they warm up: anything in [-1, 1]."""
    generator = np.random.default_rng([seed, zlib.crc32(b"warmup"), segment])
    return generator.uniform(-1, 1, shape).astype(np.float32)
