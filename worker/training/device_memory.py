"""What a run says when the memory of its device does not suffice: what was forecast, what there is, what to change."""

import contextlib
from collections.abc import Generator

import jax

from phylon.forecast.memory import members_at_once, population_memory
from phylon.launch import block_of
from phylon.spec import ExperimentSpec
from phylon.spec.registered import describe_method
from phylon.worker.core.errors import EngineError
from phylon.worker.execution.out_of_memory import is_out_of_memory
from phylon.worker.gang.gang import Gang

GIGABYTE = 10**9


class DeviceMemoryExceeded(EngineError):
    """A device has no memory left."""


@contextlib.contextmanager
def explained_memory(spec: ExperimentSpec, gang: Gang) -> Generator[None]:
    """In the words of the process that it happens to: the members that are counted are those whose weights are here."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if not is_out_of_memory(error):
            raise
        raise _explain(error, spec, gang) from error


def _explain(error: Exception, spec: ExperimentSpec, gang: Gang) -> DeviceMemoryExceeded:
    everybody, is_joint = spec.population.size, describe_method(spec.population.method).joint is not None
    size = everybody if is_joint else len(block_of(gang.rank, gang.size, everybody))
    members = f"{size} members" if size == everybody else f"The {size} of {everybody} members that are here"
    device, count = jax.local_devices()[0], jax.local_device_count()
    at_once = members_at_once(spec, count, device.platform == "cpu")
    forecast = population_memory(spec).of(size, at_once).device
    available = (device.memory_stats() or {}).get("bytes_limit")
    has = f", and {device.device_kind} gives JAX {_size(available)}" if available else ""
    first = str(error).splitlines()[0].removeprefix("RESOURCE_EXHAUSTED: ").rstrip(".")
    more = f", or among more processes ({gang.launch_of(2 * gang.size)})" if gang.size > 1 and not is_joint else ""
    chunk = max(1, (at_once or size) // 2)
    return DeviceMemoryExceeded(
        f"{device.platform} memory ran out: {first}. {members} were forecast to need "
        f"{_size(forecast)} of it, environments and libraries not counted{has}",
        f"set execution.strategy to vectorized and execution.chunk to {chunk}, so that fewer members learn at the same "
        f"time; share members out by execution.strategy sharded and more resources.devices{more}; or use fewer "
        "members, smaller networks or smaller batches",
    )


def _size(count: int) -> str:
    return f"{count / GIGABYTE:.3g} GB"
