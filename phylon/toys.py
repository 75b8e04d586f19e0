"""The toy problem of the PBT paper's Figure 2 (Jaderberg et al. 2017): what engine and figures both know of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

START = 0.9
"""Both coordinates of theta at the beginning."""
TOP = np.float32(1.2)
"""The best score, at theta = (0, 0)."""


def figure2_score(theta: NDArray[Any]) -> NDArray[np.float32]:
    """The true objective Q of theta [..., 2]."""
    return TOP - np.square(theta.astype(np.float32)).sum(axis=-1)
