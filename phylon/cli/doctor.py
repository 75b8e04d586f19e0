"""`phylon doctor`: what is wrong with this machine, and what to do about it."""

import os
from collections import Counter
from pathlib import Path

import typer
from rich.markup import escape

from phylon.cli.backup import HomeOption
from phylon.cli.console import print_json, say
from phylon.cli.exits import FAILED
from phylon.cli.language import JsonOption
from phylon.cli.local.home import DEFAULT_HOME

COLOURS = {"ok": "green", "warning": "yellow", "error": "bold red"}


def doctor(json: JsonOption = False, home: HomeOption = Path(DEFAULT_HOME)) -> None:
    """Look for what is wrong with this machine: packages, JAX, disks, database, Redis, service, workers.

    Each line is ok, a warning or an error, the latter two with what to do. Exit code 1 when there is an error. Settings
    are read from the environment, as the service and the workers do.

    Example: `phylon doctor --json`
    """
    from phylon.doctor import examine  # here, because other commands need none of it
    from phylon.doctor.finding import Finding, Machine

    found: list[Finding] = []
    for finding in examine(Machine(home.expanduser().resolve(), os.environ)):
        found.append(finding)
        if not json:
            level = f"[{COLOURS[finding.level]}]{finding.level:<7}[/]"
            say(f"{level}  {escape(finding.check)}: {escape(finding.message)}")
            if finding.remedy:
                say(f"         → {escape(finding.remedy)}")
    counts = Counter(finding.level for finding in found)
    if json:
        print_json([finding._asdict() for finding in found])
    else:
        say(", ".join(f"{counts[level]} {level}" for level in COLOURS))
    if counts["error"]:
        raise typer.Exit(FAILED)
