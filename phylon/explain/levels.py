"""The values of a hyper-parameter in a few steps: low, middle and high thirds of what was tried, or each of a few."""

import numpy as np
from numpy.typing import NDArray

from phylon.explain.ranks import Numbers

STEPS = 3
"""The least that shows an optimum between too little and too much."""
MOST_CHOICES = 16
"""Listed values or names up to this number are a level each."""


def levels_of(values: Numbers, is_choice: bool) -> NDArray[np.int64]:
    """The level of each value, numbered from 0 upwards without gaps."""
    distinct = np.unique(values)
    if len(distinct) <= (MOST_CHOICES if is_choice else STEPS):
        return np.searchsorted(distinct, values)
    edges = np.quantile(values, np.arange(1, STEPS) / STEPS)
    # Equal values have one level, so where one value is frequent its level is larger than a third.
    return np.unique(np.searchsorted(edges, values), return_inverse=True)[1].reshape(values.shape)
