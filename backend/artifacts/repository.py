"""Queries about artifacts."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Artifact


def get(session: Session, artifact_id: int) -> Artifact:
    artifact = session.get(Artifact, artifact_id)
    if artifact is None:
        raise NotFound("artifact", artifact_id)
    return artifact


def of_job(session: Session, job_id: int) -> list[Artifact]:
    """In the order in which they were stored."""
    return list(session.scalars(select(Artifact).where(Artifact.job_id == job_id).order_by(Artifact.id)))


def add(session: Session, artifact: Artifact) -> Artifact:
    session.add(artifact)
    session.flush()
    return artifact


def remove(session: Session, artifacts: Sequence[Artifact]) -> None:
    """At once, so that a row of the same name can follow in this transaction."""
    ids = [artifact.id for artifact in artifacts]
    session.execute(delete(Artifact).where(Artifact.id.in_(ids)), execution_options={"synchronize_session": "fetch"})
