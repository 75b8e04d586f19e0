"""Brings a backup back, into an empty database of either kind.

The whole file is checked before anything is changed. Then the schema that the backup had is created, its rows are
loaded in one transaction, and the database is brought to the schema of this release. Artifacts come first: files that
no row names do no harm, while rows whose files are missing would.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import command
from sqlalchemy.exc import DBAPIError

from phylon.backend import schema
from phylon.backend.backup import archive, blank, files, numbers, safety, tables
from phylon.backend.backup.archive import BackupUnusable, Manifest, Reader, TableEntry
from phylon.backend.kit.database import Database
from phylon.backend.kit.errors import Conflict

_ROWS_AT_ONCE = 500


class DatabaseInUse(Conflict):
    """The database is not empty."""

    def __init__(self, url: sa.URL) -> None:
        super().__init__(
            f"The database {schema.shown(url)} is not empty; a backup is restored into an empty one.",
            "Choose another PHYLON_DATABASE_URL or PHYLON_HOME, or replace what is there with --replace.",
        )


class RowRefused(Conflict):
    """The database does not take a row of the backup."""


class Target(NamedTuple):
    database_url: str
    artifacts: Path | None
    """None leaves out the artifacts of the backup."""
    home: Path


class Restored(NamedTuple):
    manifest: Manifest
    revision: str
    """Of the schema now."""
    artifacts: int
    settings: list[str]
    settings_kept: list[str]
    """That were there and have other content in the backup."""
    replaced: Path | None
    """Where the database is kept that was replaced."""


def restore(file: Path, target: Target, *, replace: bool = False) -> Restored:
    with archive.open_checked(file) as reader:
        revision = reader.manifest.revision
        if not schema.is_known(revision):
            reason = f"it has schema {revision}, and the newest that this release knows is {schema.newest()}"
            raise BackupUnusable(file, f"it was written by a newer Phylon, {reader.manifest.phylon}: {reason}")
        replaced = _make_room(target, replace=replace)
        artifacts = _place_artifacts(reader, target.artifacts)
        config = schema.configuration(target.database_url)
        command.upgrade(config, revision)
        _load(reader, target.database_url, set(blank.row_counts(revision)))
        command.upgrade(config, "head")
        written, kept = _place_settings(reader, target.home, replace=replace)
        return Restored(reader.manifest, schema.newest(), artifacts, written, kept, replaced)


def _make_room(target: Target, *, replace: bool) -> Path | None:
    """A database without our tables. What they held, if anything, is kept in a file, which is returned."""
    database, kept = Database(target.database_url), None
    file = schema.sqlite_file(database.engine.url)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        found = schema.of_database(database.engine)
        if found.state == "newer":
            raise schema.SchemaNewer(database.engine.url, found.revision or "")
        if found.revision is None:
            return None
        ours = blank.row_counts(found.revision)
        with database.read() as session:
            is_used = blank.is_used(session.connection(), ours)
        if is_used and not replace:
            raise DatabaseInUse(database.engine.url)
        if is_used:
            kept = safety.keep(target.database_url, target.home / "backups", found.revision)
        with database.write() as session:
            connection = session.connection()
            for table in reversed(tables.reflect(connection, {*ours, "alembic_version"})):
                table.drop(connection)
        return kept
    finally:
        database.dispose()


def _load(reader: Reader, database_url: str, names: set[str]) -> None:
    database = Database(database_url)
    try:
        with database.write() as session:
            connection = session.connection()
            if connection.dialect.name == "sqlite":
                connection.execute(sa.text("PRAGMA defer_foreign_keys = ON"))  # tables may refer to each other
            present = tables.reflect(connection, names)
            for table in reversed(present):
                connection.execute(sa.delete(table))  # what migrations put there is in the backup too
            by_name = {table.name: table for table in present}
            for entry in reader.manifest.tables:
                _load_table(reader, connection, entry, by_name[entry.name])
            numbers.continue_after(connection, present, reader.manifest.numbers)
    finally:
        database.dispose()


def _load_table(reader: Reader, connection: sa.Connection, entry: TableEntry, table: sa.Table) -> None:
    assert entry.columns == tables.kinds(table), f"schema {reader.manifest.revision} has another table {entry.name}"
    insert = sa.insert(tables.portable(table))
    for rows in _batches(_rows(reader, entry, connection.dialect.name)):
        try:
            connection.execute(insert, rows)
        except DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0]
            raise RowRefused(
                f"{schema.shown(connection.engine.url)} does not take a row of the table {entry.name}: {reason}. No "
                "row was restored.",
                "Restore into the kind of database that the backup is from, and correct the row there.",
            ) from None


def _rows(reader: Reader, entry: TableEntry, dialect: str) -> Iterator[dict[str, Any]]:
    names, decoders = list(entry.columns), tables.decoders(entry.columns.values(), dialect)
    with reader.open(archive.table_part(entry.name)) as part, gzip.open(part) as lines:
        for line in lines:
            values = zip(names, decoders, json.loads(line), strict=True)
            yield {name: None if value is None else decode(value) for name, decode, value in values}


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _ROWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _place_artifacts(reader: Reader, root: Path | None) -> int:
    if root is None:
        return 0
    paths = reader.manifest.artifacts or []
    for path in paths:
        with reader.open(archive.artifact_part(path)) as stream:
            files.place(root, path, stream)
    return len(paths)


def _place_settings(reader: Reader, home: Path, *, replace: bool) -> tuple[list[str], list[str]]:
    """Those that were written, and those that were left as they are because others are there."""
    written: list[str] = []
    kept: list[str] = []
    for name in reader.manifest.settings:
        with reader.open(archive.settings_part(name)) as stream:
            content = stream.read()
            present = home / name
            if present.exists() and present.read_bytes() != content and not replace:
                kept.append(name)
                continue
            stream.seek(0)
            files.place(home, name, stream)
            written.append(name)
    return written, kept
