"""Queries about experiments."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Select, case, func, or_, select
from sqlalchemy.orm import Session, joinedload, selectinload

from phylon.backend.experiments.status import RANK
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Experiment, MetricFrame, Run
from phylon.contract.vocabulary import ExperimentStatus

_COMPLETE = (selectinload(Experiment.runs), joinedload(Experiment.group))


class EvaluationFrame(NamedTuple):
    run_id: int
    step: int
    data: bytes


def get(session: Session, experiment_id: int) -> Experiment:
    """With its runs and its group."""
    experiment = session.scalar(select(Experiment).where(Experiment.id == experiment_id).options(*_COMPLETE))
    if experiment is None:
        raise NotFound("experiment", experiment_id)
    return experiment


def page(
    session: Session,
    search: str | None,
    status: ExperimentStatus | None,
    group_id: int | None,
    limit: int,
    after: int | None,
) -> tuple[list[Experiment], int]:
    """The newest first, each with its runs and its group; and how many there are in all. `after` is an id."""
    statement = select(Experiment)
    if search:
        columns = (Experiment.name, Experiment.environment, Experiment.algorithm)
        statement = statement.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
    if group_id is not None:
        statement = statement.where(Experiment.group_id == group_id)
    if status is not None:
        statement = statement.where(_rank() == list(ExperimentStatus).index(status))
    total = session.scalar(select(func.count()).select_from(statement.subquery())) or 0
    if after is not None:
        statement = statement.where(Experiment.id < after)
    return list(session.scalars(statement.options(*_COMPLETE).order_by(Experiment.id.desc()).limit(limit))), total


def _rank() -> ScalarSelect[int]:
    """The rank of the experiment's status, as `backend.experiments.status` derives it."""
    return select(func.min(status_rank())).where(Run.experiment_id == Experiment.id).scalar_subquery()


def status_rank() -> ColumnElement[int]:
    """The rank of a run's status."""
    return case({status.value: rank for status, rank in RANK.items()}, value=Run.status)


def sampled_evaluations(session: Session, run_ids: list[int], name: str, points: int) -> list[EvaluationFrame]:
    """At most `points` frames of each run, evenly spread and the last among them, without reading the others."""
    numbered = (
        select(
            MetricFrame.run_id,
            MetricFrame.seq,
            func.row_number().over(partition_by=MetricFrame.run_id, order_by=MetricFrame.seq.desc()).label("place"),
            func.count().over(partition_by=MetricFrame.run_id).label("count"),
        )
        .where(MetricFrame.run_id.in_(run_ids), MetricFrame.name == name)
        .subquery()
    )
    stride = (numbered.c.count + points - 1) // points
    statement: Select[int, int, bytes] = (
        select(MetricFrame.run_id, MetricFrame.step, MetricFrame.data)
        .join(numbered, (numbered.c.run_id == MetricFrame.run_id) & (numbered.c.seq == MetricFrame.seq))
        .where(MetricFrame.name == name, (numbered.c.place - 1) % stride == 0)
        .order_by(MetricFrame.run_id, MetricFrame.seq)
    )
    return [EvaluationFrame(*row) for row in session.execute(statement)]
