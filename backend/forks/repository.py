"""Queries about where experiments start from."""

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.models import Experiment, ExperimentStart, Run


class Source(NamedTuple):
    start: ExperimentStart
    experiment_id: int | None
    """None where its run was deleted or is not for the viewer."""


def sources_of(session: Session, viewer: Viewer, experiment_id: int) -> list[Source]:
    """`experiment_id`: of one that the viewer sees; its sources may belong to projects that they do not see."""
    statement = select(ExperimentStart).where(ExperimentStart.experiment_id == experiment_id)
    starts = list(session.scalars(statement.order_by(ExperimentStart.place)))
    ids = [start.run_id for start in starts if start.run_id is not None]
    seen = visible(select(Run.id, Run.experiment_id).where(Run.id.in_(ids)), viewer, Run)
    experiments = {id: experiment for id, experiment in session.execute(seen)} if ids else {}
    return [Source(start, experiments.get(start.run_id or 0)) for start in starts]


def forks_of(session: Session, viewer: Viewer, run_id: int) -> list[tuple[Experiment, ExperimentStart]]:
    """Experiments that the viewer sees and that start from the run, the oldest first; one for each of its sources."""
    statement = (
        select(Experiment, ExperimentStart)
        .join(ExperimentStart, ExperimentStart.experiment_id == Experiment.id)
        .where(ExperimentStart.run_id == run_id)
        .order_by(Experiment.id, ExperimentStart.place)
        .options(selectinload(Experiment.runs))
    )
    return [(experiment, start) for experiment, start in session.execute(visible(statement, viewer, Experiment))]
