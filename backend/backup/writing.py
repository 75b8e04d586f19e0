"""Writes a backup, while the service goes on.

All rows come from one read transaction, so they fit together. Artifacts are copied behind it, in no transaction: their
files never change, and one that was deleted meanwhile is listed as missing.
"""

import gzip
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from phylon.backend import schema
from phylon.backend.backup import archive, blank, files, numbers, tables
from phylon.backend.backup.archive import Manifest, TableEntry, Writer
from phylon.backend.kit import clock
from phylon.backend.kit.database import Database
from phylon.backend.kit.errors import Conflict

_ROWS_AT_ONCE = 1000
_COMPRESSION = 5


class NothingToBackUp(Conflict):
    """The database has no tables."""


class BackupExists(Conflict):
    """There is a file of that name."""


class Source(NamedTuple):
    """What is backed up; None leaves it out."""

    database_url: str
    artifacts: Path | None
    home: Path | None


class _Stored(NamedTuple):
    """An artifact, as the database knows it."""

    path: str
    sha256: str


class _Snapshot(NamedTuple):
    revision: str
    database: str
    tables: list[TableEntry]
    numbers: dict[str, int]
    artifacts: list[_Stored]


def write(file: Path, source: Source) -> Manifest:
    if file.exists():
        raise BackupExists(f"{file} is already there.", "Choose another name; backups are never written over.")
    with archive.create(file) as writer:
        snapshot = _copy_rows(writer, file.parent, source.database_url)
        kept, missing, damaged = _copy_artifacts(writer, source.artifacts, snapshot.artifacts)
        settings = _copy_settings(writer, source.home)
        manifest = Manifest(
            phylon=version("phylon"),
            revision=snapshot.revision,
            database=snapshot.database,
            created_at=clock.now().astimezone(UTC),
            tables=snapshot.tables,
            numbers=snapshot.numbers,
            artifacts=None if source.artifacts is None else kept,
            missing=missing,
            damaged=damaged,
            settings=settings,
            parts=writer.parts,
        )
        writer.finish(manifest)
    return manifest


def _copy_rows(writer: Writer, folder: Path, database_url: str) -> _Snapshot:
    database = Database(database_url)
    try:
        _revision(database.engine.url, schema.of_database(database.engine))  # refuses before it opens anything
        with database.read() as session:
            connection = session.connection()
            revision = _revision(database.engine.url, schema.of_connection(connection))
            present = tables.reflect(connection, set(blank.row_counts(revision)))
            return _Snapshot(
                revision,
                connection.dialect.name,
                [_copy_table(writer, folder, connection, table) for table in present],
                numbers.highest(connection, present),
                _stored_artifacts(connection, present),
            )
    finally:
        database.dispose()


def _revision(url: sa.URL, found: schema.Schema) -> str:
    if found.revision is None:
        remedy = "See that PHYLON_DATABASE_URL and PHYLON_HOME name yours."
        raise NothingToBackUp(f"The database {schema.shown(url)} has no tables.", remedy)
    if found.state == "newer":
        raise schema.SchemaNewer(url, found.revision)
    return found.revision


def _copy_table(writer: Writer, folder: Path, connection: sa.Connection, table: sa.Table) -> TableEntry:
    """By way of a file, since a member of an archive begins with its length."""
    with tempfile.TemporaryFile(dir=folder, prefix=f".{table.name}.") as spool:
        with gzip.GzipFile(fileobj=spool, mode="wb", compresslevel=_COMPRESSION, mtime=0) as lines:
            rows = _write_lines(lines, connection, table)
        writer.add(archive.table_part(table.name), spool)
    return TableEntry(name=table.name, columns=tables.kinds(table), rows=rows)


def _write_lines(lines: gzip.GzipFile, connection: sa.Connection, table: sa.Table) -> int:
    encoders, count = tables.encoders(tables.kinds(table).values()), 0
    for row in _rows(connection, table):
        values = [None if value is None else encode(value) for encode, value in zip(encoders, row, strict=True)]
        lines.write(json.dumps(values, separators=(",", ":")).encode() + b"\n")
        count += 1
    return count


def _rows(connection: sa.Connection, table: sa.Table) -> Iterator[sa.Row[Any]]:
    options = {"stream_results": True, "yield_per": _ROWS_AT_ONCE}
    return iter(connection.execute(tables.select_rows(table), execution_options=options))


def _stored_artifacts(connection: sa.Connection, present: list[sa.Table]) -> list[_Stored]:
    (table,) = (table for table in present if table.name == "artifacts")
    statement = sa.select(table.c.path, table.c.sha256).order_by(table.c.path)
    return [_Stored(path, sha256) for path, sha256 in connection.execute(statement)]


def _copy_artifacts(writer: Writer, root: Path | None, stored: list[_Stored]) -> tuple[list[str], list[str], list[str]]:
    """Those that are there, those that are not, and those whose bytes are not what the database says."""
    kept: list[str] = []
    missing: list[str] = []
    damaged: list[str] = []
    if root is None:
        return kept, missing, damaged
    for artifact in stored:
        try:
            stream = files.open_artifact(root, artifact.path)
        except FileNotFoundError:
            missing.append(artifact.path)
            continue
        with stream:
            digest = writer.add(archive.artifact_part(artifact.path), stream)
        kept.append(artifact.path)
        if digest != artifact.sha256:
            damaged.append(artifact.path)
    return kept, missing, damaged


def _copy_settings(writer: Writer, home: Path | None) -> list[str]:
    kept: list[str] = []
    if home is None:
        return kept
    for file in files.settings_files(home):
        with file.open("rb") as stream:
            writer.add(archive.settings_part(file.name), stream)
        kept.append(file.name)
    return kept
