"""What was measured since the last metrics frame."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class UpdateMetrics:
    """Means over the update blocks since the last `frames`, one value a member."""

    def __init__(self) -> None:
        self._sums: dict[str, NDArray[np.float64]] = {}
        self._blocks = 0

    def add(self, metrics: Mapping[str, NDArray[np.float32]]) -> None:
        for name, values in metrics.items():
            self._sums[name] = self._sums.get(name, 0) + values.astype(np.float64)
        self._blocks += 1

    def frames(self) -> dict[str, list[float]]:
        """Nothing when there was no update, as while members warm up."""
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
