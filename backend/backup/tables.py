"""The tables of a database as it is, and the plain values that their rows become in a backup."""

import base64
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from phylon.backend.kit.columns import RealNumber, Timestamp, without_nul

Kind = Literal["integer", "text", "real", "boolean", "time", "bytes", "json"]

_KINDS: list[tuple[type[sa.types.TypeEngine[Any]], Kind]] = [
    (sa.JSON, "json"),
    (sa.LargeBinary, "bytes"),
    (sa.DateTime, "time"),
    (sa.Boolean, "boolean"),
    (sa.Float, "real"),
    (sa.Integer, "integer"),
    (sa.String, "text"),
]
_TYPES: dict[Kind, sa.types.TypeEngine[Any]] = {
    "integer": sa.BigInteger(),
    "text": sa.Text(),
    "real": RealNumber(),
    "boolean": sa.Boolean(),
    "time": Timestamp(),
    "bytes": sa.LargeBinary(),
    "json": sa.types.NullType(),  # as text, which both databases take for it
}


def reflect(connection: sa.Connection, names: set[str]) -> list[sa.Table]:
    """Those of the tables that exist, as they are found, each behind all that it refers to."""
    found = sa.MetaData()
    present = set(sa.inspect(connection).get_table_names())
    found.reflect(connection, only=sorted(names & present))
    return found.sorted_tables


def portable(table: sa.Table) -> sa.Table:
    """The same table with column types that mean the same on every database."""
    columns = [
        sa.Column(column.name, _TYPES[kind], primary_key=column.primary_key)
        for column, kind in zip(table.columns, kinds(table).values(), strict=True)
    ]
    return sa.Table(table.name, sa.MetaData(), *columns)


def kinds(table: sa.Table) -> dict[str, Kind]:
    return {column.name: _kind(column) for column in table.columns}


def _kind(column: sa.Column[Any]) -> Kind:
    for type_, kind in _KINDS:
        if isinstance(column.type, type_):
            return kind
    raise NotImplementedError(f"a backup has no form for {column}, which is {column.type!r}")


def select_rows(table: sa.Table) -> sa.Select[Any]:
    """In the order of their keys, so that a row follows those of its own table that it refers to. JSON comes as the
    text that is stored: only so do `null` and no value differ."""
    same = portable(table)
    columns = [
        sa.cast(column, sa.Text) if kind == "json" else column
        for column, kind in zip(same.columns, kinds(table).values(), strict=True)
    ]
    return sa.select(*columns).order_by(*same.primary_key.columns)


def encoders(columns: Iterable[Kind]) -> list[Callable[[Any], Any]]:
    """From a value of each column to what JSON can say."""
    return [_ENCODERS.get(kind, _as_is) for kind in columns]


def decoders(columns: Iterable[Kind], dialect: str) -> list[Callable[[Any], Any]]:
    """And back, to what that database can hold."""
    special = _DECODERS if dialect == "sqlite" else _DECODERS | {"text": without_nul}
    return [special.get(kind, _as_is) for kind in columns]


def _as_is(value: Any) -> Any:
    return value


def _encode_real(value: float) -> float | str:
    return value if value - value == 0 else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]


def _encode_bytes(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


_ENCODERS: dict[Kind, Callable[[Any], Any]] = {
    "real": _encode_real,
    "bytes": _encode_bytes,
    "time": datetime.isoformat,
}
_DECODERS: dict[Kind, Callable[[Any], Any]] = {
    "real": float,
    "bytes": base64.b64decode,
    "time": datetime.fromisoformat,
}
