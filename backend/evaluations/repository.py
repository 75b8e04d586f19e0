"""Queries about evaluations."""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.models import Artifact, Evaluation, EvaluationPolicy, Run


def plays(run_id: int) -> ColumnElement[bool]:
    """Holds for evaluations of a policy of this run."""
    return Evaluation.id.in_(select(EvaluationPolicy.evaluation_id).where(EvaluationPolicy.run_id == run_id))


def visible_runs(session: Session, viewer: Viewer, run_ids: Collection[int]) -> frozenset[int]:
    """Those of them that the viewer may see."""
    return frozenset(session.scalars(visible(select(Run.id).where(Run.id.in_(run_ids)), viewer, Run)))


def films(session: Session, job_ids: Sequence[int]) -> dict[tuple[int, str], int]:
    """The numbers of these jobs' files, by job and name."""
    statement = select(Artifact.job_id, Artifact.name, Artifact.id).where(Artifact.job_id.in_(job_ids))
    return {(job_id, name): id for job_id, name, id in session.execute(statement)}
