"""Commands that become one of Phylon's own processes: the service, a worker, the migration of the database.

The CLI replaces itself with the process, so signals and exit codes are that process's own.
"""

import os
import sys
from typing import Annotated, NoReturn

import typer

from phylon.cli.extras import require_server, require_worker
from phylon.contract.protocol import DeviceKind


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; without --public-url only this machine's own (loopback).")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8787,
    public_url: Annotated[
        str | None, typer.Option(help="Where people reach the service. Turns accounts on. Default: PHYLON_PUBLIC_URL.")
    ] = None,
) -> None:
    """Run the service alone: REST API, event streams and web interface.

    With --public-url people sign in; while there is no admin, the service prints a link that makes the first one.

    Needs a migrated database (`phylon migrate`) and Redis; see PHYLON_DATABASE_URL and PHYLON_REDIS_URL. On a single
    machine, `phylon up` does all of it.

    Example: `phylon serve --port 9000`
    """
    require_server()
    public = () if public_url is None else ("--public-url", public_url)
    _become("phylon.backend.serve", "--host", host, "--port", str(port), *public)


def worker(
    enrol: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Code of `phylon workers code`, needed the first time. Default: PHYLON_ENROLMENT_CODE."
        ),
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(min=1, help="Jobs side by side on CPUs, each with its share of the cores. Default: 1."),
    ] = None,
    labels: Annotated[str, typer.Option(metavar="A,B", help="What jobs may ask for, separated by commas.")] = "",
    name: Annotated[str | None, typer.Option(help="How it is listed. Default: this machine's name and device.")] = None,
    device: Annotated[DeviceKind | None, typer.Option(help="Default: gpu when there is one.")] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE", help="Jobs may import this module for its environments (my_package:MyEnv-v0); repeatable."
        ),
    ] = None,
    several_ranks: Annotated[
        bool, typer.Option("--several-ranks", help="Be several hosts of one run, each on slots of its own.")
    ] = False,
    grace: Annotated[
        float, typer.Option(min=1, help="Seconds after Ctrl-C or SIGTERM in which all jobs are given back.")
    ] = 90.0,
) -> None:
    """Serve this machine: one slot per GPU, or --slots on CPUs. It takes jobs from the queue and executes them.

    Needs PHYLON_API_URL and PHYLON_REDIS_URL of the service, and a code when it is new to it; it keeps the credential
    that it gets for the code under PHYLON_HOME. Ctrl-C lets jobs write a checkpoint and gives them back to the queue.

    Example: `phylon worker --enrol CODE --slots 4 --labels night`
    """
    require_worker()
    options = {
        **{"--enrol": enrol, "--slots": slots, "--labels": labels or None},
        **{"--name": name, "--device": device, "--grace": grace},
    }
    given = [f"{option}={value}" for option, value in options.items() if value is not None]
    given += ["--several-ranks"] if several_ranks else []
    _become("phylon.worker.supervisor", *given, *(f"--allow={module}" for module in allow or ()))


def migrate(
    backup: Annotated[
        bool, typer.Option(help="Keep a copy of a database that holds something, in PHYLON_HOME/backups.")
    ] = True,
) -> None:
    """Create the database, or bring it to the newest version. Safe to repeat.

    Example: `PHYLON_DATABASE_URL=sqlite:///phylon.db phylon migrate`
    """
    require_server()
    _become("phylon.backend.migrate", *([] if backup else ["--no-backup"]))


def _become(module: str, *arguments: str) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
