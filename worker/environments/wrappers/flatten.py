"""Observations of any shape as vectors."""

import numpy as np

from phylon.spec.wrappers.observations import FlattenSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.host import HostEnvironments, Observations
from phylon.worker.environments.wrappers.observing import ObservingPool


def flatten(spec: FlattenSpec, pool: HostEnvironments, info: EnvironmentInfo) -> HostEnvironments:
    del spec

    def change(obs: Observations) -> Observations:
        numbers = obs.reshape(len(obs), -1).astype(np.float32)
        return numbers / np.float32(255) if obs.dtype == np.uint8 else numbers

    return ObservingPool(pool, info, change)
