"""A small study for the tests: what it asks for, and what a worker would measure."""

from typing import Any

from phylon.spec import parse_study
from phylon.study import Machine, measured

SPEC = parse_study(
    {
        **{"version": 1, "name": "small", "description": "Few.", "kind": "runtime_study", "algorithms": ["td3"]},
        **{"strategies": ["sequential", "vectorized"], "population_sizes": [1, 2]},
    }
)
MACHINE = Machine(device="cpu", device_name="a chip", device_count=1, cores=2, memory_bytes=8, versions={}).model_dump()
MEASURED = [measured(cell, [1.0, 2.0], 1, 0.5, 100, 1, None).model_dump(mode="json") for cell in SPEC.cells()]


def history(machine: dict[str, Any] = MACHINE, first: int = 0, start: int = 0, end: int = 4) -> list[dict[str, Any]]:
    """The events of a worker that measures the cells from `start` to `end`, numbered from `first`."""
    found: list[dict[str, Any]] = [{"kind": "machine", "machine": machine}]
    found += [{"kind": "measured", "measurement": content} for content in MEASURED[start:end]]
    return [{"seq": seq, "step": seq, "wall": 1.0, **event} for seq, event in enumerate(found, start=first)]
