"""Where the replay lies: on the device where that is possible and the forecast fits its memory, else on the host."""

import os
from typing import NamedTuple

import jax

from phylon.forecast.advice import USABLE
from phylon.forecast.memory import members_at_once, population_memory
from phylon.registry import suites
from phylon.spec import ExperimentSpec
from phylon.spec.placement import refuse_device_replay
from phylon.worker.core.errors import EngineError
from phylon.worker.execution import Execution


class Place(NamedTuple):
    is_on_device: bool
    why: str
    """Empty where there was nothing to decide."""


ON_HOST = Place(False, "")


def choose_place(spec: ExperimentSpec, execution: Execution, size: int) -> Place:
    """As the spec says; `auto` by the forecast for the members here, and the memory of the devices here."""
    if spec.replay is None or not suites()[spec.environment.suite].is_functional:
        return ON_HOST
    if spec.replay.placement == "device":
        require_fusible(execution)
    if spec.replay.placement != "auto":
        return Place(spec.replay.placement == "device", f"the spec asks for the replay on the {spec.replay.placement}")
    refusal = next(refuse_device_replay(spec), None)
    if refusal is not None:
        return Place(False, f"the replay is on the host: {refusal['message']}")
    if execution.learn is None:
        return Place(False, f"the replay is on the host: {execution.description} cannot be part of a larger program")
    needed, usable = _needed_bytes(spec, execution, size), _usable_bytes()
    numbers = f"{needed / 1e9:.2g} GB of {usable / 1e9:.2g} GB usable there with all that learns"
    if needed > usable:
        return Place(False, f"the replay is on the host: on the device it would take {numbers}")
    return Place(True, f"the replay is on the device: {numbers}")


def require_fusible(execution: Execution) -> None:
    """With the replay on the device updates are part of the segment's program."""
    if execution.learn is None:
        raise EngineError(
            f"the replay is to lie on the device, but {execution.description} cannot be part of a larger program",
            f"give each process a multiple of {len(execution.devices)} members, use execution.strategy vectorized, or "
            "write replay.placement: host",
        )


def _needed_bytes(spec: ExperimentSpec, execution: Execution, size: int) -> int:
    """Of each device; of all together where they share one memory, and then the host's share too."""
    count, is_cpu = len(execution.devices), execution.devices[0].platform == "cpu"
    at_once = members_at_once(spec, count, is_cpu)
    share = population_memory(spec, is_replay_on_device=True).of(size, at_once)
    return sum(share) if is_cpu else -(-share.device // count)


def _usable_bytes() -> int:
    """Of a device: what JAX may take of a card, or the share of this machine's memory that a worker counts on."""
    limit = (jax.local_devices()[0].memory_stats() or {}).get("bytes_limit")
    if limit is not None:
        return int(limit)
    return round(USABLE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
