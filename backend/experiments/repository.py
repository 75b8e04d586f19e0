"""Queries about experiments."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, String, and_, func, or_, select
from sqlalchemy.orm import Session, defer, joinedload, selectinload

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.experiments.querying import Column, column, condition, joined
from phylon.backend.kit.columns import Timestamp
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Experiment, ExperimentValue, Job, Run, Star, Tag
from phylon.query import Field, Query, fields_of

_NAMED = (
    selectinload(Experiment.tags),
    joinedload(Experiment.group),
    joinedload(Experiment.owner),
    joinedload(Experiment.project),
)
_COMPLETE = (selectinload(Experiment.runs), *_NAMED)

# A page has hundreds of runs, and to read all columns of these would take longer than to find them.
_AS_ROWS = (
    selectinload(Experiment.runs).options(
        *(
            defer(column, raiseload=True)
            for column in (
                *(Run.extended_budget, Run.strategy, Run.strategy_explanation, Run.devices),
                *(Run.interruptions, Run.diverged_members, Run.seed, Run.median_return),
            )
        ),
        joinedload(Run.job, innerjoin=True).load_only(Job.status, Job.error, Job.finished_at, raiseload=True),
    ),
    defer(Experiment.spec, raiseload=True),
    defer(Experiment.yaml, raiseload=True),
    defer(Experiment.import_source, raiseload=True),
    defer(Experiment.notes, raiseload=True),
    *_NAMED,
)


def get(session: Session, viewer: Viewer, experiment_id: int) -> Experiment:
    """With its runs and its group."""
    statement = visible(select(Experiment).where(Experiment.id == experiment_id), viewer, Experiment)
    experiment = session.scalar(statement.options(*_COMPLETE))
    if experiment is None:
        raise NotFound("experiment", experiment_id)
    return experiment


class Order(NamedTuple):
    """By a column; the newest first among those that are alike."""

    column: Column
    is_descending: bool


class Cursor(NamedTuple):
    """The last experiment of a page."""

    value: float | str | None
    """In the column that the list is sorted by; a time in seconds since 1970."""
    id: int


class Found(NamedTuple):
    id: int
    value: float | str | None


def select_ids(viewer: Viewer) -> Select[int]:
    return visible(select(Experiment.id), viewer, Experiment)


def matching(
    viewer: Viewer, query: Query | None, group_id: int | None = None, project_id: int | None = None
) -> Select[int]:
    """Numbers of those that the viewer sees. Archived ones are left out unless the query speaks of them."""
    statement = select_ids(viewer)
    if group_id is not None:
        statement = statement.where(Experiment.group_id == group_id)
    if project_id is not None:
        statement = statement.where(Experiment.project_id == project_id)
    if query is not None:
        statement = statement.where(condition(query, viewer.user_id))
    if query is None or all(field.name != "archived" for field in fields_of(query)):
        statement = statement.where(Experiment.archived_at.is_(None))
    return statement


def find_page(
    session: Session, statement: Select[int], order: Order, limit: int, after: Cursor | None, offset: int
) -> list[Found]:
    """Of those that `statement` selects, with what they are sorted by: to sort whole rows would read all specs."""
    value: Any = order.column.expression
    if isinstance(value.type, String):
        value = func.lower(value)
    valued: Select[Any, Any] = joined(statement.add_columns(value), order.column)
    if after is not None:
        valued = valued.where(_follows(value, order.is_descending, after))
    ordered = value.desc() if order.is_descending else value.asc()
    valued = valued.order_by(value.is_(None), ordered, Experiment.id.desc()).limit(limit).offset(offset)
    return [Found(id, _plain(found)) for id, found in session.execute(valued)]


def _follows(value: Any, is_descending: bool, after: Cursor) -> ColumnElement[bool]:
    """Those without a value come last, whatever the direction."""
    older = Experiment.id < after.id
    if after.value is None:
        return and_(value.is_(None), older)
    last: Any = after.value
    if isinstance(value.type, Timestamp):
        last = datetime.fromtimestamp(float(last), UTC)
    beyond = value < last if is_descending else value > last
    return or_(beyond, and_(value == last, older), value.is_(None))


def _plain(value: Any) -> float | str | None:
    return value.timestamp() if isinstance(value, datetime) else value


def count(session: Session, statement: Select[Any]) -> int:
    return session.scalar(select(func.count()).select_from(statement.subquery())) or 0


def load(session: Session, ids: list[int]) -> list[Experiment]:
    """In that order, each with its runs, its group and its tags; without specs, which rows do not show."""
    found = session.scalars(select(Experiment).where(Experiment.id.in_(ids)).options(*_AS_ROWS))
    by_id = {experiment.id: experiment for experiment in found}
    return [by_id[id] for id in ids if id in by_id]


def starred(session: Session, viewer: Viewer, ids: list[int]) -> set[int]:
    statement = select(Star.experiment_id).where(Star.user_id == viewer.user_id, Star.experiment_id.in_(ids))
    return set(session.scalars(statement))


def stored_values(session: Session, ids: list[int], paths: list[str]) -> dict[int, dict[str, float | str]]:
    """By experiment and path; of several runs the mean."""
    statement = (
        select(
            ExperimentValue.experiment_id,
            ExperimentValue.path,
            func.min(ExperimentValue.text),
            func.avg(ExperimentValue.number),
        )
        .where(ExperimentValue.path.in_(paths), ExperimentValue.experiment_id.in_(ids))
        .group_by(ExperimentValue.experiment_id, ExperimentValue.path)
    )
    found: dict[int, dict[str, float | str]] = {id: {} for id in ids}
    for id, path, text, number in session.execute(statement):
        found[id][path] = number if text is None or (text not in ("true", "false") and number is not None) else text
    return found


def count_values(
    session: Session, statement: Select[Any], field: Field, user_id: int, limit: int
) -> list[tuple[Any, int, float | None, float | None]]:
    """Value, how many, mean and greatest final return; the most frequent first."""
    one = column(field, user_id)
    value: Any = one.expression
    if field.kind == "tag":
        tagged = select(Tag.experiment_id, Tag.name.label("value")).subquery()
        one = Column(tagged.c.value, tagged)
        value = tagged.c.value
    elif field.kind == "spec" and one.text is not None:
        value = one.text
    amount = func.count()
    counted = joined(statement, one).with_only_columns(
        value, amount, func.avg(Experiment.final_return), func.max(Experiment.final_return)
    )
    return [(*row,) for row in session.execute(counted.group_by(value).order_by(amount.desc(), value).limit(limit))]


def recent_paths(session: Session, viewer: Viewer, experiments: int) -> list[str]:
    """What the newest experiments that the viewer sees have values for."""
    newest = select_ids(viewer).order_by(Experiment.id.desc()).limit(experiments).subquery()
    statement = select(ExperimentValue.path).where(ExperimentValue.experiment_id.in_(select(newest.c.id))).distinct()
    return sorted(session.scalars(statement))
