"""Brings the database to the newest schema: `python -m phylon.backend.migrate`. Doing so twice is harmless."""

import sys
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import make_url

from phylon.backend.settings import SettingInvalid, from_environment


def configuration(database_url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", "phylon:migrations")  # wherever the package is installed
    config.attributes["database_url"] = database_url
    return config


def migrate(database_url: str) -> None:
    url = make_url(database_url)
    if url.get_backend_name() == "sqlite" and url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    command.upgrade(configuration(database_url), "head")


def main() -> int:
    try:
        settings = from_environment()
    except SettingInvalid as error:
        print(error, file=sys.stderr)
        return 2
    migrate(settings.database_url)
    print(f"{make_url(settings.database_url).render_as_string(hide_password=True)} is at the newest schema.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
