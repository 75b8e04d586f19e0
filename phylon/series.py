"""One metric over time, as arrays."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Series(NamedTuple):
    steps: "NDArray[np.int64]"
    """[ticks]"""
    wall: "NDArray[np.float64]"
    """[ticks] seconds of work"""
    values: "NDArray[np.float64]"
    """[ticks, members], or [ticks, 1] for a metric of the whole population"""
