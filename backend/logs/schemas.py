"""What trainer and supervisor printed."""

from datetime import datetime
from typing import Literal

from phylon.backend.kit.schema import Schema


class LogLineRead(Schema):
    id: int
    attempt: int
    line: int
    wall: float
    stream: Literal["trainer", "supervisor"]
    text: str
    created_at: datetime


class LogPage(Schema):
    lines: list[LogLineRead]
    next: int
    """Pass it as `after` to get what comes after these lines."""
