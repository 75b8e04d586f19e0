"""The table of experiments: a page of rows that match a query, in the order of any column."""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.experiments import repository
from phylon.backend.experiments.querying import column
from phylon.backend.experiments.repository import Cursor, Found, Order
from phylon.backend.experiments.summary import ended_at, summarise
from phylon.backend.kit.errors import Invalid
from phylon.backend.kit.pages import CursorInvalid
from phylon.contract.base import Page
from phylon.contract.experiments import ExperimentRow, FieldDescription, ValueCount
from phylon.contract.vocabulary import ExperimentStatus
from phylon.query import FIELDS, And, Comparison, Field, Query, QueryInvalid, Search, find_field, parse
from phylon.query.fields import METRIC_PREFIX, SPEC_PREFIX, FieldUnknown
from phylon.spec import Problem

NEWEST_FIRST = "-id"
DRAWN = frozenset({"return"})
"""Columns that pages draw of what every row has; they are neither sorted nor filtered by."""
_EXPERIMENTS_KNOWN = 100
"""Whose values are offered as columns: what is in use shows up in the newest ones."""


class QueryRefused(Invalid):
    """The query cannot be read."""

    def __init__(self, text: str, error: QueryInvalid) -> None:
        problem = Problem(
            path=f"query.{error.start}-{error.end}",
            value=text[error.start : error.end],
            message=error.message,
            remedy=error.remedy,
        )
        super().__init__(
            f"The query cannot be read at character {error.start + 1}: {error.message}.",
            f"{error.remedy[0].upper()}{error.remedy[1:]}.",
            [problem],
        )


class ColumnRefused(Invalid):
    """There is no such column."""

    def __init__(self, error: FieldUnknown) -> None:
        super().__init__(f"{error.message[0].upper()}{error.message[1:]}.", f"{error.remedy}.")


class Wanted(NamedTuple):
    """What someone wants to see of the table."""

    query: str | None = None
    search: str | None = None
    status: ExperimentStatus | None = None
    group_id: int | None = None
    project_id: int | None = None
    sort: str | None = None
    columns: tuple[str, ...] = ()


def list_page(
    session: Session, viewer: Viewer, wanted: Wanted, limit: int, after: str | None, offset: int
) -> Page[ExperimentRow]:
    sort = wanted.sort or NEWEST_FIRST
    order = Order(column(_field(sort.removeprefix("-")), viewer.user_id), sort.startswith("-"))
    statement = repository.matching(viewer, _read_query(wanted), wanted.group_id, wanted.project_id)
    found = repository.find_page(session, statement, order, limit + 1, _decode(after), offset)
    return Page(
        items=_rows(session, viewer, found[:limit], wanted.columns),
        total=repository.count(session, statement),
        next=_encode(found[limit - 1]) if len(found) > limit else None,
    )


def _rows(session: Session, viewer: Viewer, found: list[Found], columns: tuple[str, ...]) -> list[ExperimentRow]:
    ids = [row.id for row in found]
    experiments = repository.load(session, ids)
    starred = repository.starred(session, viewer, ids)
    fields = [_field(name) for name in columns]
    paths = [field.name for field in fields if field.kind in ("spec", "metric")]
    values = repository.stored_values(session, ids, paths) if paths else {}
    return [
        ExperimentRow(
            **dict(summary),
            tags=[tag.name for tag in experiment.tags],
            starred=experiment.id in starred,
            archived_at=experiment.archived_at,
            ended_at=ended_at(experiment),
            values=values.get(experiment.id, {}),
        )
        for experiment, summary in zip(experiments, summarise(experiments), strict=True)
    ]


def count_values(session: Session, viewer: Viewer, query: str | None, by: str, limit: int) -> list[ValueCount]:
    """How many experiments have each value of a column: the groups of a table, and what a query may compare with."""
    field = _field(by)
    statement = repository.matching(viewer, _read_query(Wanted(query=query)))
    rows = repository.count_values(session, statement, field, viewer.user_id, limit)
    return [
        ValueCount(
            value=_shown(field, value),
            query=f"{field.name} = {_quoted(_shown(field, value))}",
            count=count,
            final_return=mean,
            best_final_return=best,
        )
        for value, count, mean, best in rows
    ]


def list_fields(session: Session, viewer: Viewer) -> list[FieldDescription]:
    paths = repository.recent_paths(session, viewer, _EXPERIMENTS_KNOWN)
    described = [*FIELDS, *(find_field(path) for path in paths if path.startswith((SPEC_PREFIX, METRIC_PREFIX)))]
    return [FieldDescription(name=field.name, kind=field.kind, meaning=field.meaning) for field in described]


def check(query: str | None, columns: Iterable[str | None]) -> None:
    """Raises where a table could not be shown so."""
    _read_query(Wanted(query=query))
    for name in columns:
        if name is not None:
            _field(name.removeprefix("-"))


def _read_query(wanted: Wanted) -> Query | None:
    """What was written, and the short ways to say the same."""
    parts: list[Query] = []
    if wanted.search:
        parts.append(Search(wanted.search))
    if wanted.status is not None:
        parts.append(Comparison(find_field("status"), "=", (wanted.status.value,)))
    text = wanted.query or ""
    try:
        written = parse(text)
    except QueryInvalid as error:
        raise QueryRefused(text, error) from None
    parts += [] if written is None else [written]
    return And(tuple(parts)) if parts else None


def _field(name: str) -> Field:
    try:
        return find_field(name)
    except FieldUnknown as error:
        raise ColumnRefused(error) from None


def _shown(field: Field, value: Any) -> float | str | None:
    match field.kind:
        case "status":
            return list(ExperimentStatus)[int(value)]
        case "flag":
            return "yes" if value else "no"
        case "time" if value is not None:
            return str(value.isoformat())
        case _:
            return cast(float | str | None, value)


def _quoted(value: float | str | None) -> str:
    if value is None:
        return "none"
    if not isinstance(value, str):
        return repr(value)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _encode(last: Found) -> str:
    return base64.urlsafe_b64encode(json.dumps([last.value, last.id]).encode()).decode().rstrip("=")


def _decode(cursor: str | None) -> Cursor | None:
    if cursor is None:
        return None
    try:
        read = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        raise CursorInvalid(cursor) from None
    match cast(object, read):
        case [float() | int() | str() | None as value, int(id)] if not isinstance(id, bool) and 0 <= id < 2**53:
            return Cursor(value, id)
        case _:
            raise CursorInvalid(cursor)
