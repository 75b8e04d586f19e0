"""Machines that train."""

from datetime import datetime
from typing import Literal

from phylon.backend.kit.schema import Schema
from phylon.contract.protocol import DeviceKind

WorkerState = Literal["idle", "busy", "lost"]


class WorkerRead(Schema):
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
