"""What is accumulated between two metrics events: update metrics, and returns of training episodes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class UpdateMetrics:
    """Means over the update blocks since the last `frames`, one value per member."""

    def __init__(self) -> None:
        self._sums: dict[str, NDArray[np.float64]] = {}
        self._blocks = 0

    def add(self, metrics: Mapping[str, NDArray[np.float32]]) -> None:
        for name, values in metrics.items():
            self._sums[name] = self._sums.get(name, 0) + values.astype(np.float64)
        self._blocks += 1

    def frames(self) -> dict[str, list[float]]:
        """Empty when there was no update, as during the warm-up."""
        frames = {f"training/{name}": (total / self._blocks).tolist() for name, total in self._sums.items()}
        self._sums, self._blocks = {}, 0
        return frames

    @property
    def blocks(self) -> int:
        return self._blocks

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"blocks": np.array(self._blocks), **{f"sums/{name}": total for name, total in self._sums.items()}}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._blocks = int(arrays["blocks"])
        self._sums = {name.removeprefix("sums/"): total for name, total in arrays.items() if name.startswith("sums/")}


class EpisodeReturns:
    """Returns of training episodes in P x envs environments, reported as `training/return`.

    `kept`: how many of each member's latest ones are kept one by one, for fitness.
    """

    def __init__(self, population_size: int, envs: int, kept: int = 0) -> None:
        self._running = np.zeros((population_size, envs))
        self._finished_sum = np.zeros(population_size)
        self._finished_count = np.zeros(population_size, np.int64)
        self._latest = np.full(population_size, np.nan)
        self._kept = np.full((population_size, kept), np.nan)
        self._is_mixed = np.zeros((population_size, envs), np.bool_)
        """Episodes under way that began with weights which were replaced since: they are nobody's."""

    def cut(self) -> None:
        """All environments restart. Episodes that were cut off do not count."""
        self._running[:] = 0
        self._is_mixed[:] = False

    def add(self, reward: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Consecutive steps [P, calls, envs]."""
        if self._kept.shape[1]:
            self._keep(reward, ended)
        is_latest = np.cumsum(ended[:, ::-1], axis=1)[:, ::-1] == 0  # steps of the episode that is still running
        has_ended = ended.any(axis=1)
        before, after = (reward.sum(axis=1, where=part, dtype=np.float64) for part in (~is_latest, is_latest))
        self._finished_sum += np.where(has_ended, self._running + before, 0).sum(axis=1)
        self._running = np.where(has_ended, 0, self._running) + after
        self._finished_count += ended.sum(axis=(1, 2))

    def _keep(self, reward: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        first, before = np.zeros(self._running.shape, np.int64), self._running.copy()
        for member, call, env in np.argwhere(ended):  # of each member in order of time
            played = reward[member, first[member, env] : call + 1, env].sum(dtype=np.float64)
            if not self._is_mixed[member, env]:
                self._kept[member] = np.append(self._kept[member, 1:], before[member, env] + played)
            first[member, env], before[member, env], self._is_mixed[member, env] = call + 1, 0, False

    def latest(self) -> NDArray[np.float64]:
        """[P, kept], the newest last; NaN where there was none yet."""
        return self._kept.copy()

    def inherit(self, kept: NDArray[np.float64], is_child: NDArray[np.bool_]) -> None:
        """Some members go on with the weights of others. `kept` [P, kept]: what is each one's from now on, as `latest`
        gave it for the parent."""
        self._kept = kept
        self._is_mixed[is_child] = True

    def forget(self) -> None:
        """All members have new weights."""
        self._kept[:] = np.nan
        self._is_mixed[:] = True

    def returns(self) -> NDArray[np.float64]:
        """Per member the mean over episodes that ended since the last call, or its previous value; NaN at first."""
        ended = self._finished_count > 0
        self._latest[ended] = self._finished_sum[ended] / self._finished_count[ended]
        self._finished_sum[:] = 0
        self._finished_count[:] = 0
        return self._latest.copy()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Without running episodes: a checkpoint cuts them."""
        return {
            "finished_sum": self._finished_sum.copy(),
            "finished_count": self._finished_count.copy(),
            "latest": self._latest.copy(),
            "kept": self._kept.copy(),
        }

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._finished_sum[:] = arrays["finished_sum"]
        self._finished_count[:] = arrays["finished_count"]
        self._latest[:] = arrays["latest"]
        self._kept[:] = arrays["kept"]
