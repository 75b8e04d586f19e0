"""What a database holds that nobody has used: the tables of a schema, and the rows that migrations put there.

Found by making one. So the tables that are ours are known for every schema, also for those of older releases, and a
database that is shared with other programs keeps theirs.
"""

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa
from alembic import command

from phylon.backend import schema
from phylon.backend.kit.database import make_engine


@functools.cache
def row_counts(revision: str) -> Mapping[str, int]:
    """Rows by table."""
    with tempfile.TemporaryDirectory(prefix="phylon-schema-") as folder:
        url = f"sqlite:///{Path(folder) / 'blank.db'}"
        command.upgrade(schema.configuration(url), revision)
        engine = make_engine(url)
        with engine.connect() as connection:
            counts = _count(connection, set(sa.inspect(connection).get_table_names()) - {"alembic_version"})
        engine.dispose()
        return counts


def is_used(connection: sa.Connection, blank: Mapping[str, int]) -> bool:
    """Whether the database holds more than a blank one of its schema."""
    return _count(connection, blank.keys() & set(sa.inspect(connection).get_table_names())) != blank


def _count(connection: sa.Connection, names: set[str]) -> dict[str, int]:
    return {
        name: connection.scalar(sa.select(sa.func.count()).select_from(sa.table(name))) or 0 for name in sorted(names)
    }
