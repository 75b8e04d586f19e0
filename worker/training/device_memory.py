"""What a run says when the memory of its device does not suffice: what was forecast, what there is, what to change."""

import jax

from phylon.forecast.memory import members_at_once, population_memory
from phylon.spec import ExperimentSpec
from phylon.worker.core.errors import EngineError
from phylon.worker.execution.out_of_memory import is_out_of_memory

GIGABYTE = 10**9


class DeviceMemoryExceeded(EngineError):
    """A device has no memory left."""


def explain_memory(error: Exception, spec: ExperimentSpec) -> DeviceMemoryExceeded | None:
    """None for errors about anything else."""
    if not is_out_of_memory(error):
        return None
    device, count = jax.local_devices()[0], jax.local_device_count()
    at_once = members_at_once(spec, count, device.platform == "cpu")
    forecast = population_memory(spec).of(spec.population.size, at_once).device
    available = (device.memory_stats() or {}).get("bytes_limit")
    has = f", and {device.device_kind} gives JAX {_size(available)}" if available else ""
    first = str(error).splitlines()[0].removeprefix("RESOURCE_EXHAUSTED: ").rstrip(".")
    chunk = max(1, (at_once or spec.population.size) // 2)
    return DeviceMemoryExceeded(
        f"{device.platform} memory ran out: {first}. {spec.population.size} members were forecast to need "
        f"{_size(forecast)} of it, environments and libraries not counted{has}",
        f"set execution.strategy to vectorized and execution.chunk to {chunk}, so that fewer members learn at the same "
        "time; share members out by execution.strategy sharded and more resources.devices; or use fewer members, "
        "smaller networks or smaller batches",
    )


def _size(count: int) -> str:
    return f"{count / GIGABYTE:.3g} GB"
