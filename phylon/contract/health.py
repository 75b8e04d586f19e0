"""Whether the service and what it depends on are reachable."""

from typing import Literal

from phylon.contract.base import ReadModel

Reachable = Literal["ok", "unavailable"]


class Health(ReadModel):
    status: Literal["ok", "degraded"]
    database: Reachable
    redis: Reachable
    storage: Literal["ok", "low"]
    """`low`: there is too little room for artifacts, and uploads wait."""
    storage_free_bytes: int | None
    """None where there is no limit that the service could know: in a bucket."""
    version: str
