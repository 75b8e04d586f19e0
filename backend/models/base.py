"""What all tables share: one naming rule for keys, so that migrations can name what they change on any database."""

from typing import Any

from sqlalchemy import JSON, MetaData
from sqlalchemy.orm import DeclarativeBase

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


NUMBERED: dict[str, Any] = {"sqlite_autoincrement": True}
"""For tables with a surrogate key: a number is never given twice, even when its row was deleted. Run directories and
messages name runs by number, and must not meet another run under it. (Postgres' sequences do so by themselves.)"""


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[int]: JSON(none_as_null=True),
        list[float]: JSON(none_as_null=True),
        list[dict[str, Any]]: JSON(none_as_null=True),
    }
