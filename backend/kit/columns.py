"""Column types that mean the same on SQLite and on Postgres."""

import math
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, Double, Integer
from sqlalchemy.types import TypeDecorator

BigKey = BigInteger().with_variant(Integer(), "sqlite")
"""A surrogate key. SQLite numbers rows by itself only when the column is exactly INTEGER."""


def without_nul(text: str) -> str:
    """Postgres keeps no NUL character. What programs print may have some, and must not be refused for it."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


class Timestamp(TypeDecorator[datetime]):
    """An instant. SQLite keeps no time zone, so instants are stored in UTC and given back as UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        in_utc = value.astimezone(UTC)
        return in_utc.replace(tzinfo=None) if dialect.name == "sqlite" else in_utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class RealNumber(TypeDecorator[float]):
    """A measured number that may be NaN. SQLite turns a NaN into NULL, so there it is kept as the text `NaN`."""

    impl = Double()
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        # Not `process_bind_param`: what that returns is made a float again, which undoes it.
        return _with_nan_as_text if dialect.name == "sqlite" else super().bind_processor(dialect)

    def process_result_value(self, value: Any, dialect: Dialect) -> float | None:
        return None if value is None else float(value)


def _with_nan_as_text(value: float | None) -> float | str | None:
    return "NaN" if value is not None and math.isnan(value) else value
