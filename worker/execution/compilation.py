"""How population programs are compiled: options for XLA, and programs spread over the devices where members live."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.monitoring
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from phylon.worker.execution.interface import Device

COMPILATION_EVENTS = "/jax/core/compile/"
"""Prefix of the durations that JAX reports for tracing, lowering and compiling, none of which overlap."""
MEMBER_AXIS = "members"


@contextlib.contextmanager
def watch_compilation(record: Callable[[str, float], None]) -> Iterator[None]:
    """Calls `record` with the name and the seconds of every compilation event of JAX within the context."""

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event.startswith(COMPILATION_EVENTS):
            record(event, duration_secs)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def compile_options(device: Device) -> dict[str, bool | str]:
    """For programs whose speed counts: on a CPU matrix products go to Eigen, sums to YNNPACK.

    XLA would choose YNNPACK for both, which is slower by a tenth at 256 x 256 weights. Without YNNPACK for sums, those
    of a convolution's bias take longer than the convolution. Eigen divides a large product over as many threads as the
    process has cores or devices, and no option prevents it.
    """
    return {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"} if device.platform == "cpu" else {}


def fast_compile_options() -> dict[str, int]:
    """For programs that run so seldom that only their compile time counts.

    Drawing random weights is many different small kernels: several seconds to optimise, a millisecond to run.
    """
    return {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else {}


def map_shards(mesh: Mesh, function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies `function` to each device's shard of its arguments."""
    split = PartitionSpec(MEMBER_AXIS)
    # Algorithms are written for one member and know of no mesh, so their types are not checked against it.
    return jax.shard_map(function, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)


def compile_over_devices(function: Callable[..., Any], devices: Sequence[Device], *donated: int) -> Callable[..., Any]:
    """Compiles a function of trees [members, ...] that treats members independently, one shard of them per device.

    The arguments at the positions `donated` are used up.
    """
    shards = function if len(devices) == 1 else map_shards(Mesh(np.array(devices), (MEMBER_AXIS,)), function)
    return jax.jit(shards, donate_argnums=donated, compiler_options=compile_options(devices[0]))
