"""Queries about groups."""

from collections import defaultdict
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.experiments.querying import status_rank
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Experiment, Group, Job, Run
from phylon.contract.vocabulary import ExperimentStatus

_OWNED = (joinedload(Group.owner), joinedload(Group.project))


class Standing(NamedTuple):
    """How one experiment of a group stands."""

    status: ExperimentStatus
    share: float
    """Of its budget that is spent."""


def get(session: Session, viewer: Viewer, group_id: int) -> Group:
    """With its experiments, and these with their runs."""
    complete = selectinload(Group.experiments).options(selectinload(Experiment.runs), joinedload(Experiment.group))
    statement = visible(select(Group).where(Group.id == group_id), viewer, Group)
    group = session.scalar(statement.options(complete, *_OWNED))
    if group is None:
        raise NotFound("group", group_id)
    return group


def page(session: Session, viewer: Viewer, limit: int, after: int | None) -> tuple[list[Group], int]:
    """The newest first, and how many there are in all. `after` is an id."""
    statement = visible(select(Group), viewer, Group)
    total = session.scalar(select(func.count()).select_from(statement.subquery())) or 0
    if after is not None:
        statement = statement.where(Group.id < after)
    return list(session.scalars(statement.options(*_OWNED).order_by(Group.id.desc()).limit(limit))), total


def standings(session: Session, group_ids: list[int]) -> dict[int, list[Standing]]:
    statement = (
        select(Experiment.group_id, func.min(status_rank()), func.sum(Run.step), func.sum(Run.total_steps))
        .join(Run, Run.experiment_id == Experiment.id)
        .join(Job, Job.id == Run.job_id)
        .where(Experiment.group_id.in_(group_ids))
        .group_by(Experiment.group_id, Experiment.id)
    )
    found: dict[int, list[Standing]] = defaultdict(list)
    for group_id, rank, step, total in session.execute(statement):
        assert group_id is not None  # asked for by number
        found[group_id].append(Standing(list(ExperimentStatus)[rank], int(step) / int(total)))
    return found
