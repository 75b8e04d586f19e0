"""Which schema a database has, and whether this release can use it.

`python -m phylon.backend.schema` prints it as JSON, for `phylon doctor`, which loads no database library itself.
"""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from pydantic import BaseModel
from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from phylon.backend.kit.database import make_engine
from phylon.backend.kit.errors import PlatformError
from phylon.backend.settings import SettingInvalid, from_environment

State = Literal["current", "behind", "newer", "empty", "unreachable"]


class SchemaNewer(PlatformError):
    """A newer release has used this database."""

    def __init__(self, url: URL, revision: str) -> None:
        super().__init__(
            f"The database {shown(url)} is at schema {revision}, which Phylon {version('phylon')} does not know: "
            f"its newest is {newest()}. A newer release has used this database.",
            "Install that release again (`phylon --version` says which one you have), or go on with a backup from "
            "before its upgrade: `phylon restore FILE`, see PHYLON_HOME/backups.",
        )


class SchemaBehind(PlatformError):
    """The database has not been brought to the schema of this release."""

    def __init__(self, url: URL, revision: str | None) -> None:
        state = f"is at schema {revision}" if revision else "has no tables"
        super().__init__(
            f"The database {shown(url)} {state}; Phylon {version('phylon')} needs schema {newest()}.",
            "Run `phylon migrate` first; it keeps a backup.",
        )


class DatabaseUnreachable(PlatformError):
    """The database does not answer."""

    def __init__(self, url: URL, reason: object) -> None:
        super().__init__(
            f"The database {shown(url)} cannot be reached: {str(reason).strip().splitlines()[0]}.",
            "See that it runs, and that PHYLON_DATABASE_URL names it.",
        )


class Schema(NamedTuple):
    revision: str | None
    """None for a database without tables."""
    state: State


class SchemaReport(BaseModel):
    database: str
    revision: str | None
    newest: str
    state: State
    problem: str | None
    remedy: str | None


def configuration(database_url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", "phylon:migrations")  # wherever the package is installed
    config.attributes["database_url"] = database_url
    return config


def newest() -> str:
    """The schema of this release."""
    head = _scripts().get_current_head()
    assert head is not None
    return head


def is_known(revision: str) -> bool:
    return revision in {script.revision for script in _scripts().walk_revisions()}


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(configuration(""))


def shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def sqlite_file(url: URL) -> Path | None:
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def of_connection(connection: Connection) -> Schema:
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None:
        return Schema(None, "empty")
    if revision == newest():
        return Schema(revision, "current")
    return Schema(revision, "behind" if is_known(revision) else "newer")


def of_database(engine: Engine) -> Schema:
    """Raises `DatabaseUnreachable`. A SQLite file that is not there is not created by asking."""
    file = sqlite_file(engine.url)
    if file is not None and not file.exists():
        return Schema(None, "empty")
    try:
        with engine.connect() as connection:
            return of_connection(connection)
    except SQLAlchemyError as error:
        raise DatabaseUnreachable(engine.url, getattr(error, "orig", None) or error) from None


def require_current(database_url: str) -> None:
    """Raises `SchemaNewer`, `SchemaBehind` or `DatabaseUnreachable`."""
    engine = make_engine(database_url)
    try:
        schema = of_database(engine)
    finally:
        engine.dispose()
    if schema.state == "newer":
        raise SchemaNewer(engine.url, schema.revision or "")
    if schema.state != "current":
        raise SchemaBehind(engine.url, schema.revision)


def report(database_url: str) -> SchemaReport:
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        remedy = "Write PHYLON_DATABASE_URL as sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME."
        return _report("PHYLON_DATABASE_URL", None, "unreachable", PlatformError(f"{error}.", remedy))
    engine = make_engine(database_url)
    try:
        revision, state = of_database(engine)
    except DatabaseUnreachable as error:
        return _report(shown(url), None, "unreachable", error)
    finally:
        engine.dispose()
    if state == "newer":
        return _report(shown(url), revision, state, SchemaNewer(url, revision or ""))
    return _report(shown(url), revision, state, None if state == "current" else SchemaBehind(url, revision))


def _report(database: str, revision: str | None, state: State, error: PlatformError | None) -> SchemaReport:
    problem, remedy = (error.detail, error.remedy) if error else (None, None)
    return SchemaReport(
        database=database, revision=revision, newest=newest(), state=state, problem=problem, remedy=remedy
    )


def main() -> int:
    try:
        settings = from_environment()
    except SettingInvalid as error:
        print(error, file=sys.stderr)
        return 2
    print(report(settings.database_url).model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
