"""Rules about artifacts."""

import re
from collections.abc import Iterator
from pathlib import Path

from fastapi.responses import FileResponse
from sqlalchemy.orm import Session

from phylon.backend.artifacts import repository, storage
from phylon.backend.artifacts.storage import Received
from phylon.backend.attempts import fence
from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.kit import clock
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Invalid, NotFound
from phylon.backend.models import Artifact
from phylon.backend.runs import repository as runs
from phylon.contract.artifacts import Artifact as ArtifactRead
from phylon.contract.artifacts import FilmedEpisode
from phylon.contract.events import Checkpoint, Video, run_event
from phylon.contract.protocol import ArtifactStored, CheckpointReference

_CHECKPOINT_NAME = re.compile(r"\d+\.npz")
_VIDEO_SUFFIX = ".mp4"
_CHECKPOINTS_KEPT = 2
"""The newest may be one whose event the history does not have yet, so the one before it must stay."""


class UploadDamaged(Invalid):
    """The bytes that arrived do not have the announced hash; nothing was stored."""

    def __init__(self, name: str, announced: str, received: Received) -> None:
        super().__init__(
            f"{name} arrived with sha256 {received.sha256} ({received.bytes} bytes), but {announced} was announced.",
            "Send the file again.",
        )


def list_of_run(session: Session, run_id: int) -> list[ArtifactRead]:
    runs.get(session, run_id)
    videos = {event.file: event for event in _videos(session, run_id)}
    return [_read(artifact, videos.get(artifact.name)) for artifact in repository.of_run(session, run_id)]


def _read(artifact: Artifact, event: Video | None) -> ArtifactRead:
    return ArtifactRead(
        id=artifact.id,
        kind="video" if _is_video(artifact) else "checkpoint",
        name=artifact.name,
        bytes=artifact.bytes,
        sha256=artifact.sha256,
        step=artifact.step,
        created_at=artifact.created_at,
        video=event and FilmedEpisode.model_validate(event, from_attributes=True),
    )


def _is_video(artifact: Artifact) -> bool:
    return artifact.name.endswith(_VIDEO_SUFFIX)


def _videos(session: Session, run_id: int) -> Iterator[Video]:
    """Those that the history has."""
    for row in events.of_kind(session, run_id, "video"):
        event = run_event.validate_json(row.payload or "")
        if isinstance(event, Video):
            yield event


def content(session: Session, context: Context, artifact_id: int) -> FileResponse:
    artifact = repository.get(session, artifact_id)
    file = context.settings.artifacts / artifact.path
    if not file.is_file():
        raise NotFound("file of artifact", artifact_id)
    return FileResponse(
        file,
        media_type="video/mp4" if _is_video(artifact) else "application/octet-stream",
        filename=artifact.name,
        content_disposition_type="inline" if _is_video(artifact) else "attachment",
        headers={"X-Content-SHA256": artifact.sha256},
    )


def store(
    session: Session, context: Context, received: Received, *, run_id: int, name: str, attempt: int, step: int
) -> ArtifactStored:
    """Give the received file its name. It replaces an older one of that name, and only the newest checkpoints stay."""
    run, _ = fence.enter(session, run_id, attempt)
    present = repository.of_run(session, run_id)
    obsolete = [artifact for artifact in present if artifact.name == name]
    if _CHECKPOINT_NAME.fullmatch(name):
        others = [row for row in present if _CHECKPOINT_NAME.fullmatch(row.name) and row.name != name]
        obsolete += others[: max(0, len(others) - (_CHECKPOINTS_KEPT - 1))]
    repository.remove(session, obsolete)
    artifact = repository.add(
        session,
        Artifact(
            run_id=run_id,
            attempt=attempt,
            name=name,
            path=storage.relative_path(run_id, name, received.sha256),
            bytes=received.bytes,
            sha256=received.sha256,
            step=step,
            created_at=clock.now(),
        ),
    )
    _place(context.settings.artifacts, received.file, artifact.path)
    paths = [row.path for row in obsolete if row.path != artifact.path]
    after_commit(session, lambda: storage.delete(context.settings.artifacts, paths))
    fence.renew(run, context.settings.lease_seconds)
    return ArtifactStored(artifact_id=artifact.id)


def _place(root: Path, file: Path, path: str) -> None:
    file.replace(root / path)


def forget_videos(session: Session, context: Context, run_id: int) -> None:
    """After history was cut back: films of what has not happened go. They will be made again, or not at all."""
    told = {event.file for event in _videos(session, run_id)}
    gone = [row for row in repository.of_run(session, run_id) if _is_video(row) and row.name not in told]
    repository.remove(session, gone)
    paths = [row.path for row in gone]
    after_commit(session, lambda: storage.delete(context.settings.artifacts, paths))


def newest_checkpoint(session: Session, run_id: int) -> CheckpointReference | None:
    """The newest checkpoint of the history whose bytes are here; one that was cut back is never offered."""
    stored = {artifact.sha256: artifact for artifact in repository.of_run(session, run_id)}
    for row in events.of_kind(session, run_id, "checkpoint"):
        event = run_event.validate_json(row.payload or "")
        if isinstance(event, Checkpoint) and event.sha256 in stored:
            artifact = stored[event.sha256]
            return CheckpointReference(
                artifact_id=artifact.id,
                file=event.file,
                sha256=event.sha256,
                bytes=artifact.bytes,
                next_seq=event.seq + 1,
            )
    return None
