"""Files that belong to a run."""

from datetime import datetime
from typing import Any, Literal

from phylon.backend.kit.schema import Real, Schema

Kind = Literal["checkpoint", "video"]


class VideoRead(Schema):
    """Whom a film shows, and how that went."""

    member: int
    span: int
    episode_return: Real
    episode_steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""


class ArtifactRead(Schema):
    id: int
    kind: Kind
    name: str
    bytes: int
    sha256: str
    step: int
    created_at: datetime
    video: VideoRead | None
    """Only of a video, once the history has it."""


BINARY: dict[str, Any] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
BYTES: dict[int | str, dict[str, Any]] = {200: {"content": BINARY, "description": "The file."}}
"""The OpenAPI entry of a route that answers with a file."""
