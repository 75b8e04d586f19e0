"""Runs migrations. The database's address comes from the caller or from the environment, never from a file."""

from alembic import context
from sqlalchemy import text

from phylon.backend.kit.database import make_engine
from phylon.backend.models import Base
from phylon.backend.settings import from_environment

_LOCK_TIMEOUT = "5s"
"""A migration that waits for a lock blocks everyone behind it; better it fails and is tried again."""


def run() -> None:
    url = context.config.attributes.get("database_url") or from_environment().database_url
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            is_postgres = connection.dialect.name == "postgresql"
            if not is_postgres:
                # SQLite changes a table by copying it and dropping the old one, which would delete all that refers to
                # it. Only the driver's own connection can say so: a transaction ignores it.
                connection.connection.driver_connection.execute("PRAGMA foreign_keys = OFF")
            context.configure(
                connection=connection,
                target_metadata=Base.metadata,
                compare_type=True,
                render_as_batch=not is_postgres,
            )
            with context.begin_transaction():
                if is_postgres:
                    connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'"))
                context.run_migrations()
                if not is_postgres:
                    broken = connection.execute(text("PRAGMA foreign_key_check")).all()
                    assert not broken, f"the migration left rows that refer to nothing: {broken[:5]}"
    finally:
        engine.dispose()


run()
