"""Files that belong to a run."""

from datetime import datetime
from typing import Literal

from phylon.contract.base import ReadModel, Real

ArtifactKind = Literal["checkpoint", "block", "video", "policy", "start"]
"""`start`: the weights that founders began with, copied from where they were trained."""


class FilmedEpisode(ReadModel):
    """Whom a video shows, and how that went."""

    member: int
    span: int
    episode_return: Real
    episode_steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""


class Artifact(ReadModel):
    id: int
    kind: ArtifactKind
    name: str
    bytes: int
    sha256: str
    step: int
    created_at: datetime
    video: FilmedEpisode | None
    """Only of a video, once the history has it."""
