"""Images made grey and small.

Brightness is that of ITU-R BT.601; a pixel of the new image is the mean of the area that it covers of the old one.
"""

import numpy as np
from numpy.typing import NDArray

from phylon.spec.wrappers.observations import GreyAndResizeSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import HostEnvironments, Observations
from phylon.worker.environments.wrappers.observing import ObservingPool

BRIGHTNESS = np.array([0.299, 0.587, 0.114], np.float32)


def grey_and_resize(spec: GreyAndResizeSpec, pool: HostEnvironments, info: EnvironmentInfo) -> HostEnvironments:
    height, width, channels = pool.info.observation_shape
    rows, columns = area_weights(height, spec.size), area_weights(width, spec.size)

    def change(images: Observations) -> Observations:
        numbers = images.astype(np.float32)
        grey = numbers @ BRIGHTNESS if channels == 3 else numbers[..., 0]
        return np.round(rows @ grey @ columns.T).astype(np.uint8)[..., None]

    return ObservingPool(pool, info, change)


def area_weights(old: int, new: int) -> NDArray[np.float32]:
    """[new, old]: how much each old pixel counts in each new one, along one side."""
    starts = np.arange(new) * old / new
    first, last = starts[:, None], starts[:, None] + old / new
    pixels = np.arange(old)[None]
    overlap = np.clip(np.minimum(last, pixels + 1) - np.maximum(first, pixels), 0, None)
    return (overlap * new / old).astype(np.float32)
