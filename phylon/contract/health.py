"""Whether the service and what it depends on are reachable."""

from typing import Literal

from phylon.contract.base import ReadModel

Reachable = Literal["ok", "unavailable"]


class Health(ReadModel):
    status: Literal["ok", "degraded"]
    database: Reachable
    redis: Reachable
    version: str
