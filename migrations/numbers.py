"""The numbers that a table has given to its rows, which SQLite forgets when it copies a table to change it."""

import sqlalchemy as sa
from alembic import op


def highest_number(table: str) -> int:
    """That was ever given, whether or not its row is still there."""
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        return bind.scalar(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table}) or 0
    sequence = bind.scalar(sa.text("SELECT pg_get_serial_sequence(:name, 'id')"), {"name": table})
    value, is_called = bind.execute(sa.text(f"SELECT last_value, is_called FROM {sequence}")).one()
    return value if is_called else 0


def set_highest_number(table: str, number: int) -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        bind.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": table})
        values = {"name": table, "seq": number}
        bind.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), values)
    elif number:
        bind.execute(
            sa.text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :seq)"), {"name": table, "seq": number}
        )
