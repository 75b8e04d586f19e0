"""Queries about evaluations. Each comes with its job and its policies."""

from collections.abc import Collection, Sequence

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from phylon.backend.accounts.rights import Columns, visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Artifact, Evaluation, EvaluationPolicy, Job, Run

_OWNED = (joinedload(Evaluation.job).options(selectinload(Job.owner), selectinload(Job.project)),)


def get(session: Session, viewer: Viewer, evaluation_id: int) -> Evaluation:
    statement = visible(select(Evaluation).where(Evaluation.id == evaluation_id), viewer, Evaluation)
    evaluation = session.scalar(statement.options(*_OWNED))
    if evaluation is None:
        raise NotFound("evaluation", evaluation_id)
    return evaluation


def of_job(session: Session, job_id: int) -> Evaluation:
    return session.scalars(select(Evaluation).where(Evaluation.job_id == job_id)).one()


def lock(session: Session, viewer: Viewer, evaluation_id: int) -> Evaluation:
    """Changed by nobody else until this transaction ends: its job is locked, as every writer does before it writes."""
    evaluation = get(session, viewer, evaluation_id)
    jobs.lock(session, evaluation.job_id)
    session.refresh(evaluation)
    return evaluation


def page(
    session: Session, viewer: Viewer, run_id: int | None, limit: int, after: int | None
) -> tuple[list[Evaluation], int]:
    """The newest first, and how many there are in all; with `run_id` those that play a policy of this run. `after` is
    an id."""
    numbers = _of_run(visible(select(Evaluation.id), viewer, Evaluation), run_id)
    total = session.scalar(select(func.count()).select_from(numbers.subquery())) or 0
    statement = _of_run(visible(select(Evaluation), viewer, Evaluation), run_id).options(*_OWNED)
    if after is not None:
        statement = statement.where(Evaluation.id < after)
    return list(session.scalars(statement.order_by(Evaluation.id.desc()).limit(limit))), total


def _of_run(statement: Select[*Columns], run_id: int | None) -> Select[*Columns]:
    if run_id is None:
        return statement
    played = select(EvaluationPolicy.evaluation_id).where(EvaluationPolicy.run_id == run_id)
    return statement.where(Evaluation.id.in_(played))


def visible_runs(session: Session, viewer: Viewer, run_ids: Collection[int]) -> frozenset[int]:
    """Those of them that the viewer may see."""
    return frozenset(session.scalars(visible(select(Run.id).where(Run.id.in_(run_ids)), viewer, Run)))


def films(session: Session, job_ids: Sequence[int]) -> dict[tuple[int, str], int]:
    """The numbers of these jobs' files, by job and name."""
    statement = select(Artifact.job_id, Artifact.name, Artifact.id).where(Artifact.job_id.in_(job_ids))
    return {(job_id, name): id for job_id, name, id in session.execute(statement)}
