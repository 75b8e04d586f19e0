"""Standing among others at the same time."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def percentiles(values: Numbers) -> Numbers:
    """The share of the others in its row that each value of [rows, members] exceeds, ties and itself half.

    NaN is nobody; where only one is left, there is nothing to compare it with.
    """
    shares = np.full(values.shape, np.nan)
    for row in range(len(values)):
        given: Numbers = values[row]
        known = ~np.isnan(given)
        ordered = np.sort(given[known])
        if len(ordered) > 1:
            below = np.searchsorted(ordered, given[known], "left")
            up_to = np.searchsorted(ordered, given[known], "right")
            shares[row, known] = (below + up_to) / (2 * len(ordered))
    return shares
