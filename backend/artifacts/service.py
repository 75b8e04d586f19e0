"""Rules about artifacts."""

from collections.abc import Iterator, Sequence

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.artifacts import download, repository
from phylon.backend.artifacts.storage import Received
from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.jobs import fence
from phylon.backend.kit import clock
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Invalid, NotFound
from phylon.backend.models import Artifact
from phylon.backend.runs import repository as runs
from phylon.contract.artifacts import Artifact as ArtifactRead
from phylon.contract.artifacts import ArtifactKind, FilmedEpisode
from phylon.contract.events import Checkpoint, PolicyWritten, Video, run_event
from phylon.contract.protocol import ArtifactStored, BlockReference, CheckpointReference, StartReference
from phylon.run_directory import START_FILE

_VIDEO_SUFFIX = ".mp4"
_CHECKPOINT_SUFFIX = ".npz"
_POLICY_SUFFIX = ".zip"


_MEDIA_TYPES: dict[ArtifactKind, str] = {
    "checkpoint": "application/octet-stream",
    "block": "application/octet-stream",
    "video": "video/mp4",
    "policy": "application/zip",
    "start": "application/octet-stream",
}


class UploadDamaged(Invalid):
    """The bytes that arrived do not have the announced hash; nothing was stored."""

    def __init__(self, name: str, announced: str, received: Received) -> None:
        super().__init__(
            f"{name} arrived with sha256 {received.sha256} ({received.bytes} bytes), but {announced} was announced.",
            "Send the file again.",
        )


def list_of_run(session: Session, viewer: Viewer, run_id: int) -> list[ArtifactRead]:
    job_id = runs.get(session, viewer, run_id).job_id
    videos = {event.file: event for event in _videos(session, job_id)}
    return [_read(artifact, videos.get(artifact.name)) for artifact in repository.of_job(session, job_id)]


def _read(artifact: Artifact, event: Video | None) -> ArtifactRead:
    return ArtifactRead(
        id=artifact.id,
        kind=_kind(artifact),
        name=artifact.name,
        bytes=artifact.bytes,
        sha256=artifact.sha256,
        step=artifact.step,
        created_at=artifact.created_at,
        video=event and FilmedEpisode.model_validate(event, from_attributes=True),
    )


def _kind(artifact: Artifact) -> ArtifactKind:
    if _is_video(artifact):
        return "video"
    if is_start(artifact):
        return "start"
    if is_policy(artifact):
        return "policy"
    return "block" if is_block(artifact) else "checkpoint"


def is_block(artifact: Artifact) -> bool:
    """A further file of a gang's checkpoint, such as `000040.1.npz`."""
    return is_checkpoint(artifact) and artifact.name.count(".") > 1


def is_policy(artifact: Artifact) -> bool:
    return artifact.name.endswith(_POLICY_SUFFIX)


def is_checkpoint(artifact: Artifact) -> bool:
    return artifact.name.endswith(_CHECKPOINT_SUFFIX) and not is_start(artifact)


def is_start(artifact: Artifact) -> bool:
    return artifact.name == START_FILE


def _is_video(artifact: Artifact) -> bool:
    return artifact.name.endswith(_VIDEO_SUFFIX)


def _videos(session: Session, job_id: int) -> Iterator[Video]:
    """Those that the history has."""
    for row in events.of_kinds(session, job_id, "video"):
        event = run_event.validate_json(row.payload or "")
        if isinstance(event, Video):
            yield event


def content(context: Context, artifact: Artifact, request: Request) -> Response:
    if context.artifacts.size(artifact.path) != artifact.bytes:
        raise NotFound("file of artifact", artifact.id)
    disposition = "inline" if _is_video(artifact) else "attachment"
    return download.respond(
        request,
        lambda start, end: context.artifacts.read(artifact.path, start, end),
        size=artifact.bytes,
        sha256=artifact.sha256,
        media_type=_MEDIA_TYPES[_kind(artifact)],
        headers={"Content-Disposition": f'{disposition}; filename="{artifact.name}"'},
    )


def find_stored(session: Session, job_id: int, name: str, sha256: str) -> Artifact | None:
    """This very file, where it is here already."""
    rows = repository.of_job(session, job_id)
    return next((row for row in rows if (row.name, row.sha256) == (name, sha256)), None)


def store(
    session: Session,
    context: Context,
    path: str,
    received: Received,
    *,
    job_id: int,
    attempt: int,
    name: str,
    sha256: str,
    step: int,
) -> ArtifactStored:
    """The file at `path` belongs to the job from now on, and replaces an older one of that name."""
    job, _ = fence.enter(session, job_id, attempt)
    remove(session, context, [row for row in repository.of_job(session, job_id) if row.name == name])
    artifact = repository.add(
        session,
        Artifact(
            job_id=job_id,
            attempt=attempt,
            name=name,
            path=path,
            bytes=received.bytes,
            sha256=sha256,
            step=step,
            created_at=clock.now(),
        ),
    )
    fence.renew(job, context.settings.lease_seconds)
    return ArtifactStored(artifact_id=artifact.id, received=received.bytes)


def remove(session: Session, context: Context, artifacts: Sequence[Artifact]) -> None:
    """The rows now, the files when the rows are gone for good. What a kill in between leaves is swept later."""
    if artifacts:
        repository.remove(session, artifacts)
        paths = [artifact.path for artifact in artifacts]
        after_commit(session, lambda: context.artifacts.delete(paths))


def forget_unreported(session: Session, context: Context, job_id: int) -> None:
    """After history was cut back: films and policies of what has not happened go. They will be made again, or not at
    all."""
    reported = {event.file for event in _videos(session, job_id)}
    for row in events.of_kinds(session, job_id, "policy"):
        event = run_event.validate_json(row.payload or "")
        reported |= {event.file} if isinstance(event, PolicyWritten) else set()
    rows = [row for row in repository.of_job(session, job_id) if not is_checkpoint(row) and not is_start(row)]
    remove(session, context, [row for row in rows if row.name not in reported])


def find_start(session: Session, experiment_id: int) -> StartReference | None:
    """What the founders of the experiment's runs begin with."""
    row = repository.find_of_experiment(session, experiment_id, START_FILE)
    return row and StartReference(artifact_id=row.id, sha256=row.sha256, bytes=row.bytes)


def list_blocks(session: Session, checkpoint: Artifact) -> tuple[BlockReference, ...]:
    """Its other files, where a gang wrote it."""
    of_job = list_checkpoints(session, checkpoint.job_id)
    return next((each.blocks for each in of_job if each.artifact_id == checkpoint.id), ())


def list_checkpoints(session: Session, job_id: int) -> list[CheckpointReference]:
    """The checkpoints of the history whose bytes should be here, of a gang's those of all blocks, the newest first; one
    that was cut back is never offered."""
    stored = {artifact.sha256: artifact for artifact in repository.of_job(session, job_id)}
    reported = (run_event.validate_json(row.payload or "") for row in events.of_kinds(session, job_id, "checkpoint"))
    return [
        CheckpointReference(
            artifact_id=stored[event.sha256].id,
            file=event.file,
            sha256=event.sha256,
            bytes=stored[event.sha256].bytes,
            next_seq=event.seq + 1,
            blocks=tuple(
                BlockReference(artifact_id=stored[block.sha256].id, **block.model_dump()) for block in event.blocks
            ),
        )
        for event in reported
        if isinstance(event, Checkpoint) and all(each.sha256 in stored for each in (event, *event.blocks))
    ]
