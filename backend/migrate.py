"""Brings the database to the newest schema: `python -m phylon.backend.migrate`. Doing so twice is harmless.

A database that holds something is backed up before its schema is changed.
"""

import argparse
import sqlite3
import sys
from pathlib import Path

from alembic import command
from sqlalchemy import make_url

from phylon.backend import schema
from phylon.backend.backup import blank, safety
from phylon.backend.kit.database import Database, make_engine
from phylon.backend.kit.errors import PlatformError
from phylon.backend.schema import configuration
from phylon.backend.settings import SettingInvalid, from_environment, home

_NEVER = 0


def migrate(database_url: str, backups: Path | None = None) -> Path | None:
    """Keeps a backup in the folder `backups`, unless that is None or nothing would be lost; its path."""
    database = Database(database_url)
    file = schema.sqlite_file(database.engine.url)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        found = schema.of_database(database.engine)
        if found.state == "newer":
            raise schema.SchemaNewer(database.engine.url, found.revision or "")
        kept = None
        if backups is not None and found.state == "behind" and _is_used(database, found.revision or ""):
            kept = safety.keep(database_url, backups, found.revision or "")
        command.upgrade(configuration(database_url), "head")
        if file is not None:
            _let_the_file_shrink(database_url)
        return kept
    finally:
        database.dispose()


def _is_used(database: Database, revision: str) -> bool:
    with database.read() as session:
        return blank.is_used(session.connection(), blank.row_counts(revision))


def _let_the_file_shrink(database_url: str) -> None:
    """A file of an earlier version keeps pages that nothing uses, unless it is written again once."""
    engine = make_engine(database_url)
    try:
        with engine.connect() as connection:
            driver = connection.connection.driver_connection  # a transaction cannot do this
            assert isinstance(driver, sqlite3.Connection)
            if driver.execute("PRAGMA auto_vacuum").fetchone() == (_NEVER,):
                driver.execute("PRAGMA auto_vacuum = INCREMENTAL")
                driver.execute("VACUUM")
    finally:
        engine.dispose()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.backend.migrate", description=__doc__)
    parser.add_argument("--no-backup", action="store_true", help="change the schema without keeping a backup")
    options = parser.parse_args(arguments)
    try:
        settings = from_environment()
        kept = migrate(settings.database_url, None if options.no_backup else home() / "backups")
    except SettingInvalid as error:
        print(error, file=sys.stderr)
        return 2
    except PlatformError as error:
        print(f"{error.detail} {error.remedy}", file=sys.stderr)
        return 1
    if kept is not None:
        print(f"The database as it was before is in {kept}")
    print(f"{schema.shown(make_url(settings.database_url))} is at the newest schema.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
