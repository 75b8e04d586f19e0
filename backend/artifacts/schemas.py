"""Files that belong to a run."""

from datetime import datetime
from typing import Any

from backend.kit.schema import Schema


class ArtifactRead(Schema):
    id: int
    name: str
    bytes: int
    sha256: str
    step: int
    created_at: datetime


BINARY: dict[str, Any] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
BYTES: dict[int | str, dict[str, Any]] = {200: {"content": BINARY, "description": "The file."}}
"""The OpenAPI entry of a route that answers with a file."""
