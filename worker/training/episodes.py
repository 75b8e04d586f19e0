"""How the episodes of training went, member by member: what `training/return` tells."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Episodes:
    """Accounts of P x envs environments."""

    def __init__(self, population_size: int, envs: int) -> None:
        self._running = np.zeros((population_size, envs))
        self._finished_sum = np.zeros(population_size)
        self._finished_count = np.zeros(population_size, np.int64)
        self._latest = np.full(population_size, np.nan)

    def cut(self) -> None:
        """All environments begin anew. What was cut off counts as no episode."""
        self._running[:] = 0

    def add(self, reward: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Consecutive steps [P, calls, envs]."""
        is_latest = np.cumsum(ended[:, ::-1], axis=1)[:, ::-1] == 0  # steps of the episode that goes on
        has_ended = ended.any(axis=1)
        before, after = (reward.sum(axis=1, where=part, dtype=np.float64) for part in (~is_latest, is_latest))
        self._finished_sum += np.where(has_ended, self._running + before, 0).sum(axis=1)
        self._running = np.where(has_ended, 0, self._running) + after
        self._finished_count += ended.sum(axis=(1, 2))

    def returns(self) -> NDArray[np.float64]:
        """Mean return of each member's episodes that ended since the last call, or what it was then; NaN at first."""
        ended = self._finished_count > 0
        self._latest[ended] = self._finished_sum[ended] / self._finished_count[ended]
        self._finished_sum[:] = 0
        self._finished_count[:] = 0
        return self._latest.copy()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Without the episodes that go on: a checkpoint cuts them."""
        return {
            "finished_sum": self._finished_sum.copy(),
            "finished_count": self._finished_count.copy(),
            "latest": self._latest.copy(),
        }

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._finished_sum[:] = arrays["finished_sum"]
        self._finished_count[:] = arrays["finished_count"]
        self._latest[:] = arrays["latest"]
