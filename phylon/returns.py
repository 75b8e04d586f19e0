"""Returns of a population: the metrics that evaluations write, and how members are summarised when some are NaN."""

import math

import numpy as np
from numpy.typing import NDArray

from phylon.contract.vocabulary import MetricName

RETURN: str = MetricName.EVALUATION_RETURN.value
FINAL_RETURN: str = MetricName.FINAL_RETURN.value


def best_of(values: NDArray[np.floating]) -> float:
    """The greatest that is a number; NaN when none is."""
    numbers = values[~np.isnan(values)]
    return float(numbers.max()) if numbers.size else math.nan


def median_of(values: NDArray[np.floating]) -> float:
    """The median of those that are numbers; NaN when none is."""
    numbers = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # between -infinity and infinity lies NaN
        return float(np.median(numbers)) if numbers.size else math.nan
