"""Engines and sessions for SQLite and Postgres.

A session is one transaction: it commits when its block ends well and rolls back when it raises. Services never commit.
Two kinds exist. A reader sees one snapshot and can change nothing that matters; a writer on SQLite takes the write lock
at once (`BEGIN IMMEDIATE`), since upgrading a read transaction later fails instead of waiting.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Protocol

import structlog
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_BUSY_TIMEOUT_MILLISECONDS = 15_000


class _Cursor(Protocol):
    def execute(self, statement: str, /) -> object: ...
    def close(self) -> None: ...


class _SQLiteConnection(Protocol):
    isolation_level: str | None

    def cursor(self) -> _Cursor: ...


class Database:
    """One database, and the sessions on it."""

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        if self.engine.dialect.name == "sqlite":
            self._readers = self.engine
            self._writers = self.engine.execution_options(immediate=True)
        else:
            self._readers = self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._writers = self.engine

    @contextmanager
    def read(self) -> Generator[Session]:
        with Session(self._readers, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def write(self) -> Generator[Session]:
        """What was handed to `after_commit` runs once the transaction is safe, and never when it failed."""
        with Session(self._writers, expire_on_commit=False) as session, session.begin():
            yield session
        for action in _actions(session):
            try:
                action()
            except Exception:
                log.exception("after_commit_failed")

    def dispose(self) -> None:
        self.engine.dispose()


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Do this when the transaction is safe: nobody may hear of a row that is not there yet."""
    _actions(session).append(action)


def _actions(session: Session) -> list[Callable[[], None]]:
    return session.info.setdefault("after_commit", [])


def make_engine(url: str) -> Engine:
    """Values are hidden in its errors, which are logged: some are hashes of secrets."""
    if url.startswith("sqlite"):
        engine = create_engine(url, pool_size=10, max_overflow=40, hide_parameters=True)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(_with_psycopg(url), pool_size=10, max_overflow=40, pool_pre_ping=True, hide_parameters=True)


def _with_psycopg(url: str) -> str:
    """`postgresql://` would ask for the old driver."""
    scheme, separator, rest = url.partition("://")
    return f"postgresql+psycopg{separator}{rest}" if scheme in ("postgres", "postgresql") else url


def _prepare_sqlite(connection: _SQLiteConnection, record: Any) -> None:
    del record
    connection.isolation_level = None  # the driver must not begin transactions by itself: `_begin_sqlite` does
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MILLISECONDS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
