"""Whether the service and what it leans on are there."""

from typing import Literal

from phylon.backend.kit.schema import Schema

Reachable = Literal["ok", "unavailable"]


class Health(Schema):
    status: Literal["ok", "degraded"]
    database: Reachable
    redis: Reachable
    version: str
