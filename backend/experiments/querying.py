"""What a query, and a column, of the table of experiments means in the database."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    SQLColumnExpression,
    and_,
    case,
    false,
    func,
    not_,
    null,
    or_,
    select,
)

from phylon.backend.experiments.status import RANK
from phylon.backend.models import Experiment, ExperimentValue, Group, Job, Project, Run, Star, Tag, User
from phylon.contract.vocabulary import ExperimentStatus
from phylon.query import And, Comparison, Field, Not, Or, Query, Search
from phylon.query.parse import read_number
from phylon.query.tree import Value

_RANKS = {status.value: rank for rank, status in enumerate(ExperimentStatus)}


class Column(NamedTuple):
    """A field as an expression over `experiments`, and what must be joined for it."""

    expression: SQLColumnExpression[Any]
    source: FromClause | None = None
    """Has a column `experiment_id`; an experiment without a row there has no value."""
    text: SQLColumnExpression[Any] | None = None
    """How a value that may be a number is written."""


def column(field: Field, user_id: int) -> Column:
    if field.kind == "spec":
        return _of_spec(field.name)
    if field.kind == "metric":
        return _of_metric(field.name)
    return _COLUMNS[field.name](user_id)


def joined(statement: Any, *columns: Column) -> Any:
    """A select over `experiments` with all that the columns need."""
    for one in columns:
        if one.source is not None:
            statement = statement.outerjoin(one.source, one.source.c.experiment_id == Experiment.id)
    return statement


def condition(query: Query, user_id: int) -> ColumnElement[bool]:
    match query:
        case And(parts=parts):
            return and_(*(condition(part, user_id) for part in parts))
        case Or(parts=parts):
            return or_(*(condition(part, user_id) for part in parts))
        case Not(part=part):
            return not_(condition(part, user_id))
        case Search(word=word):
            columns = (Experiment.name, Experiment.environment, Experiment.algorithm)
            in_tag = _has(select(Tag.experiment_id).where(Tag.name.icontains(word, autoescape=True)))
            return or_(*(column.icontains(word, autoescape=True) for column in columns), in_tag)
        case Comparison(operator="in"):
            return or_(*(_compare(query.field, "=", value, user_id) for value in query.values))
        case Comparison():
            return _compare(query.field, query.operator, query.values[0], user_id)


def _compare(field: Field, operator: str, value: Value, user_id: int) -> ColumnElement[bool]:
    """Never null, so that `not` means what it says."""
    if operator == "!=":
        return not_(_compare(field, "=", value, user_id))
    if field.name == "status":
        return _has_status(operator, str(value))
    if field.name == "tag":
        tagged = select(Tag.experiment_id)
        return not_(_has(tagged)) if value is None else _has(tagged.where(_matches(Tag.name, operator, value)))
    found = column(field, user_id)
    if found.source is None:
        return _holds(found.expression, operator, value, field)
    source = found.source
    if value is None:
        written = found.expression if field.kind != "spec" or found.text is None else found.text
        return not_(_has(select(source.c.experiment_id).where(written.is_not(None))))
    return _has(
        select(source.c.experiment_id).select_from(source).where(_matches_stored(found, operator, value, field))
    )


def _has(experiment_ids: Select[int]) -> ColumnElement[bool]:
    return Experiment.id.in_(experiment_ids)


def _holds(expression: SQLColumnExpression[Any], operator: str, value: Value, field: Field) -> ColumnElement[bool]:
    if value is None:
        return expression.is_(None)
    if field.kind == "time":
        value_ = datetime.fromtimestamp(float(value), UTC)
        return func.coalesce(_ORDER[operator](expression, value_), false())
    if field.kind == "flag":
        return expression.is_(bool(value))
    return func.coalesce(_matches(expression, operator, value), false())


def _matches_stored(found: Column, operator: str, value: Value, field: Field) -> ColumnElement[bool]:
    """A value of the spec is compared as a number where both sides are numbers, else as text."""
    if field.kind == "time":
        return _ORDER[operator](found.expression, datetime.fromtimestamp(float(value or 0), UTC))
    if found.text is None or operator == "~" or not isinstance(value, str):
        return _matches(found.text if operator == "~" and found.text is not None else found.expression, operator, value)
    number = read_number(value)
    as_text = _matches(found.text, operator, value) if operator == "=" else false()
    return as_text if number is None else or_(_ORDER[operator](found.expression, number), as_text)


def _matches(expression: SQLColumnExpression[Any], operator: str, value: Value) -> ColumnElement[bool]:
    if operator == "~":
        return expression.icontains(str(value), autoescape=True)
    if isinstance(value, str):
        return _ORDER[operator](func.lower(expression), value.lower())
    return _ORDER[operator](expression, value)


_ORDER: dict[str, Callable[[Any, Any], ColumnElement[bool]]] = {
    "=": lambda left, right: left == right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _has_status(operator: str, value: str) -> ColumnElement[bool]:
    """By the jobs in the statuses that count, of which there are few, not by those of every experiment."""
    wanted = [status for status in ExperimentStatus if operator != "~" and status == value.lower()]
    if operator == "~":
        wanted = [status for status in ExperimentStatus if value.lower() in status]
    return or_(false(), *(_is(status) for status in wanted))


def _is(status: ExperimentStatus) -> ColumnElement[bool]:
    rank = _RANKS[status]
    before = _has(_with_rank(lambda other: other < rank))
    # Every experiment has a run, so the last status needs no look at its own jobs, which are most of all.
    return (
        not_(before) if rank == len(_RANKS) - 1 else and_(_has(_with_rank(lambda other: other == rank)), not_(before))
    )


def _with_rank(wanted: Callable[[int], bool]) -> Select[int]:
    statuses = [status.value for status, rank in RANK.items() if wanted(rank)]
    return select(Run.experiment_id).join(Job, Job.id == Run.job_id).where(Job.status.in_(statuses))


def status_rank() -> ColumnElement[int]:
    """The rank of a job's status."""
    return case({status.value: rank for status, rank in RANK.items()}, value=Job.status)


def _of_spec(path: str) -> Column:
    """Once for each experiment."""
    source = (
        select(ExperimentValue.experiment_id, ExperimentValue.number, ExperimentValue.text)
        .where(ExperimentValue.path == path)
        .subquery()
    )
    return Column(source.c.number, source, source.c.text)


def _of_metric(path: str) -> Column:
    """Once for each run."""
    mean = func.avg(ExperimentValue.number).label("value")
    source = (
        select(ExperimentValue.experiment_id, mean)
        .where(ExperimentValue.path == path)
        .group_by(ExperimentValue.experiment_id)
        .subquery()
    )
    return Column(source.c.value, source)


def _of_runs(value: ColumnElement[Any], of_jobs: bool) -> Column:
    statement = select(Run.experiment_id, value.label("value")).group_by(Run.experiment_id)
    if of_jobs:
        statement = statement.join(Job, Job.id == Run.job_id)
    source = statement.where(Run.deleted_at.is_(None)).subquery()
    return Column(source.c.value, source)


def _of_tags() -> Column:
    source = select(Tag.experiment_id, func.min(Tag.name).label("value")).group_by(Tag.experiment_id).subquery()
    return Column(source.c.value, source)


def _of_errors() -> Column:
    message = Job.error["message"].as_string()
    source = (
        select(Run.experiment_id, func.min(message).label("value"))
        .join(Job, Job.id == Run.job_id)
        .where(Job.status == "failed", Job.error.is_not(None))
        .group_by(Run.experiment_id)
        .subquery()
    )
    return Column(source.c.value, source)


def _name_of(model: type[User | Project | Group], id: Any) -> Column:
    return Column(select(model.name).where(model.id == id).scalar_subquery())


def _ended() -> ColumnElement[Any]:
    """None while one of its runs has not ended."""
    return case((func.count(Job.finished_at) == func.count(), func.max(Job.finished_at)), else_=null())


def _is_starred(user_id: int) -> Column:
    return Column(Experiment.id.in_(select(Star.experiment_id).where(Star.user_id == user_id)))


_COLUMNS: dict[str, Callable[[int], Column]] = {
    "name": lambda user: Column(Experiment.name),
    "status": lambda user: _of_runs(func.min(status_rank()), of_jobs=True),
    "environment": lambda user: Column(Experiment.environment),
    "suite": lambda user: Column(Experiment.suite),
    "algorithm": lambda user: Column(Experiment.algorithm),
    "method": lambda user: Column(Experiment.method),
    "population": lambda user: Column(Experiment.population_size),
    "replicates": lambda user: _of_runs(func.count(), of_jobs=False),
    "final": lambda user: Column(Experiment.final_return),
    "last": lambda user: Column(Experiment.last_return),
    "best": lambda user: Column(Experiment.best_return),
    "progress": lambda user: _of_runs(func.sum(Run.step) * 100.0 / func.sum(Run.total_steps), of_jobs=False),
    "tag": lambda user: _of_tags(),
    "star": _is_starred,
    "archived": lambda user: Column(Experiment.archived_at.is_not(None)),
    "created": lambda user: Column(Experiment.created_at),
    "ended": lambda user: _of_runs(_ended(), of_jobs=True),
    "owner": lambda user: _name_of(User, Experiment.owner_id),
    "project": lambda user: _name_of(Project, Experiment.project_id),
    "group": lambda user: _name_of(Group, Experiment.group_id),
    "imported": lambda user: Column(Experiment.import_format),
    "notes": lambda user: Column(Experiment.notes),
    "error": lambda user: _of_errors(),
    "id": lambda user: Column(Experiment.id),
}
