"""Queries about artifacts."""

from collections.abc import Sequence

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session, aliased

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import ranks
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Artifact, Evaluation, EvaluationPolicy, Job, Run
from phylon.run_directory import START_FILE


def get(session: Session, viewer: Viewer, artifact_id: int) -> Artifact:
    statement = select(Artifact).join(Job).where(Artifact.id == artifact_id)
    artifact = session.scalar(visible(statement, viewer, Artifact))
    if artifact is None:
        raise NotFound("artifact", artifact_id)
    return artifact


def get_of_worker(session: Session, worker_id: int, artifact_id: int) -> Artifact:
    """Of a job that this worker has; what the founders of all runs of its experiment begin with; or of the step of a
    policy that it is to evaluate."""
    held = select(Job.id).where((Job.worker_id == worker_id) | Job.id.in_(ranks.with_seat(worker_id)))
    experiments = select(Run.experiment_id).where(Run.job_id.in_(held))
    beside = select(Run.job_id).where(Run.experiment_id.in_(experiments))
    is_start = (Artifact.name == START_FILE) & Artifact.job_id.in_(beside)
    evaluations = select(Evaluation.id).where(Evaluation.job_id.in_(held))
    played = aliased(Artifact)
    chosen = select(EvaluationPolicy.artifact_id).where(EvaluationPolicy.evaluation_id.in_(evaluations))
    is_played = (played.job_id == Artifact.job_id) & (played.step == Artifact.step)  # a checkpoint may be several files
    statement = select(Artifact).where(
        Artifact.job_id.in_(held) | is_start | exists().where(played.id.in_(chosen), is_played)
    )
    artifact = session.scalar(statement.where(Artifact.id == artifact_id))
    if artifact is None:
        raise NotFound("artifact", artifact_id)
    return artifact


def find_of_experiment(session: Session, experiment_id: int, name: str) -> Artifact | None:
    """A file that lies with one of the experiment's runs."""
    statement = select(Artifact).join(Run, Run.job_id == Artifact.job_id).where(Run.experiment_id == experiment_id)
    return session.scalar(statement.where(Artifact.name == name))


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
