"""What trainer and supervisor printed."""

from datetime import datetime
from typing import Literal

from phylon.contract.base import ReadModel


class LoggedLine(ReadModel):
    id: int
    attempt: int
    rank: int
    """Who of a gang printed it; 0 of a worker that is alone."""
    line: int
    wall: float
    stream: Literal["trainer", "supervisor"]
    text: str
    created_at: datetime
