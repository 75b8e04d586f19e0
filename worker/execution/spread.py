"""Programs that treat members apart, spread over the devices where the members live."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from phylon.worker.execution.compilation import one_thread
from phylon.worker.execution.interface import Device

AXIS = "members"


def by_part(mesh: Mesh, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of each device's part of its arguments."""
    split = PartitionSpec(AXIS)
    # Algorithms are written for one member and know of no mesh, so their types are not checked against it.
    return jax.shard_map(function, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)


def spread(function: Callable[..., Any], devices: Sequence[Device], *donated: int) -> Callable[..., Any]:
    """Compiles what maps trees [members, ...] to such trees, and holds for any number of members.

    Arguments at the positions `donated` are used up. On a CPU each device has a core, so each part has one thread.
    """
    parts = function if len(devices) == 1 else by_part(Mesh(np.array(devices), (AXIS,)), function)
    return jax.jit(parts, donate_argnums=donated, compiler_options=one_thread(devices[0]))
