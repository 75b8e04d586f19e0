"""Machines that train, as people see them."""

from datetime import datetime

from phylon.contract.base import ReadModel
from phylon.contract.protocol import DeviceKind
from phylon.contract.vocabulary import WorkerState


class Worker(ReadModel):
    id: int
    name: str
    device: DeviceKind
    device_name: str
    device_count: int
    memory_bytes: int
    """Of its devices together."""
    host_memory_bytes: int | None
    """None for workers that do not report it."""
    versions: dict[str, str]
    suites: list[str]
    state: WorkerState
    run_id: int | None
    last_seen_at: datetime
