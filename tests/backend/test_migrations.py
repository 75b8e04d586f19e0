"""Models and migrations say the same, on both databases."""

from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from phylon.backend.kit.database import Database, after_commit, make_engine
from phylon.backend.migrate import configuration, main, migrate
from phylon.backend.models import Base


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


def test_what_was_stored_before_groups_is_kept(empty_url):
    """SQLite could only have copied the table and dropped the old one, which deletes all that refers to it."""
    database = make_engine(empty_url)
    if database.dialect.name == "sqlite":
        Path(database.url.database).parent.mkdir(parents=True)
    command.upgrade(configuration(empty_url), "0001")
    with database.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO experiments VALUES "
                "(1, 'old', '{}', '', 'gymnasium', 'Pendulum-v1', 'td3', 'pbt', 4, '2026-01-01 00:00:00')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO runs (id, experiment_id, replicate, seed, population_size, total_steps, max_attempts, "
                "created_at, status, attempt, handed_back, last_seq, step, devices) VALUES "
                "(1, 1, 0, 0, 4, 100, 5, '2026-01-01 00:00:00', 'finished', 1, 0, 5, 100, '[]')"
            )
        )
    migrate(empty_url)
    with database.connect() as connection:
        assert connection.execute(text("SELECT name, group_id FROM experiments")).all() == [("old", None)]
        assert connection.execute(text("SELECT experiment_id, step FROM runs")).all() == [(1, 100)]
    command.downgrade(configuration(empty_url), "0001")
    with database.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM runs")) == 1
    database.dispose()
