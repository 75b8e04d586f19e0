"""A backup before something is changed that cannot be changed back: a migration, or a restore over used data."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import make_url

from phylon.backend import schema
from phylon.backend.backup import archive, writing
from phylon.backend.kit import clock
from phylon.backend.kit.errors import PlatformError

KEPT = 3
_MARK = "before-change"


class BackupFailed(PlatformError):
    """The backup that comes before a change could not be written."""


def keep(database_url: str, folder: Path, revision: str) -> Path:
    """The database alone, in a new file of `folder`, where the newest three such files stay.

    Of SQLite it is a copy of the file, which every release can open; of Postgres, a backup for `phylon restore`.
    """
    source = schema.sqlite_file(make_url(database_url))
    name = f"{_MARK}-{clock.now():%Y%m%dT%H%M%S%f}-schema-{revision}{'.tar' if source is None else '.db'}"
    file = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if source is None:
            writing.write(file, writing.Source(database_url, artifacts=None, home=None))
        else:
            _copy_sqlite(source, file)
    except (OSError, sqlite3.Error) as error:
        raise BackupFailed(
            f"No backup could be written to {file}: {error}. The database was not changed.",
            "Make room there, or choose another place with PHYLON_HOME; `phylon migrate --no-backup` does without.",
        ) from None
    for old in sorted(folder.glob(f"{_MARK}-*"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return file


def _copy_sqlite(source: Path, file: Path) -> None:
    """By SQLite itself: consistent while others write."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, archive.PRIVATE))
    try:
        with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(file)) as copy:
            original.backup(copy)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
