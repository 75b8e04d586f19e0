"""Models and migrations say the same, on both databases."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from backend.kit.database import Database, after_commit, make_engine
from backend.migrate import configuration, main, migrate
from backend.models import Base


def test_models_and_migrations_do_not_drift(database_url):
    engine = make_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_up_twice_and_down_again(empty_url):
    migrate(empty_url)
    migrate(empty_url)
    engine = make_engine(empty_url)
    assert set(Base.metadata.tables) <= set(inspect(engine).get_table_names())
    command.downgrade(configuration(empty_url), "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    engine.dispose()


def test_the_command(empty_url, monkeypatch, capsys):
    monkeypatch.setenv("PHYLON_DATABASE_URL", empty_url.replace("postgres:@", "postgres:hush@"))
    assert main() == 0
    assert "hush" not in capsys.readouterr().out


def test_sqlite_is_set_up_for_several_writers(sqlite_template):
    database = Database(f"sqlite:///{sqlite_template}")
    with database.read() as session:
        pragmas = {
            name: session.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }
    database.dispose()
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 15_000}


def test_a_failed_transaction_leaves_nothing_and_tells_nobody(context):
    told = []
    with pytest.raises(ZeroDivisionError), context.database.write() as session:
        after_commit(session, lambda: told.append("early"))
        session.execute(text("DELETE FROM experiments"))
        _ = 1 / 0
    assert told == []
    with context.database.write() as session:
        after_commit(session, lambda: told.append("after"))
        assert told == []
    assert told == ["after"]
