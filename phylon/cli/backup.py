"""`phylon backup` and `phylon restore`: everything that a service holds, in one file and back."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from phylon.cli.extras import require_server
from phylon.cli.local.home import DEFAULT_HOME, open_home

HomeOption = Annotated[Path, typer.Option(envvar="PHYLON_HOME", help="Directory of the service, as for `phylon up`.")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The backup, by custom with the ending .tar.")]
WithoutArtifactsOption = Annotated[
    bool, typer.Option("--without-artifacts", help="Leave out checkpoints and videos, which are most of the bytes.")
]


def backup(
    file: FileArgument, without_artifacts: WithoutArtifactsOption = False, home: HomeOption = Path(DEFAULT_HOME)
) -> None:
    """Write database, artifacts and settings of the service into one file. The service may go on meanwhile.

    The database is the one that PHYLON_DATABASE_URL names, or that of the home directory. The file holds secrets.

    Example: `phylon backup phylon-monday.tar`
    """
    require_server()
    _run("write", file, home, ["--without-artifacts"] * without_artifacts)


def restore(
    file: FileArgument,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also into a database that holds something; that is kept in a file.")
    ] = False,
    without_artifacts: WithoutArtifactsOption = False,
    home: HomeOption = Path(DEFAULT_HOME),
) -> None:
    """Bring a backup back, also an older one, and from SQLite into Postgres or the other way. Stop the service first.

    The file is checked before anything is changed.

    Example: `PHYLON_DATABASE_URL=... phylon restore phylon-monday.tar`
    """
    require_server()
    with open_home(home):  # nobody may start a platform there meanwhile
        _run("restore", file, home, ["--without-artifacts"] * without_artifacts + ["--replace"] * replace)


def _run(action: str, file: Path, home: Path, options: list[str]) -> None:
    command = [sys.executable, "-m", "phylon.backend.backup", action, str(file), *options]
    sys.stdout.flush()
    code = subprocess.run(command, env=os.environ | {"PHYLON_HOME": str(home)}, check=False).returncode
    if code:
        raise typer.Exit(code)
