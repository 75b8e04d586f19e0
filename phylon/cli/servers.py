"""Commands that become one of Phylon's own processes: the service, a worker, the migration of the database.

The CLI replaces itself with the process, so signals and exit codes are that process's own.
"""

import os
import sys
from typing import Annotated, NoReturn

import typer

from phylon.cli.extras import require_server, require_worker


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on. Only this machine's own (loopback) is allowed.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8787,
) -> None:
    """Run the service alone: REST API, event streams and web interface.

    Needs a migrated database (`phylon migrate`) and Redis; see PHYLON_DATABASE_URL and PHYLON_REDIS_URL. On a single
    machine, `phylon up` does all of it.

    Example: `phylon serve --port 9000`
    """
    require_server()
    _become("phylon.backend.serve", "--host", host, "--port", str(port))


def worker() -> None:
    """Run one worker on this machine: it takes runs from the queue and trains them.

    Needs PHYLON_API_URL, PHYLON_REDIS_URL and PHYLON_WORKER_TOKEN of the service. Ctrl-C lets it write a checkpoint and
    give its run back to the queue.

    Example: `PHYLON_WORKER_TOKEN=... phylon worker`
    """
    require_worker()
    _become("phylon.worker.supervisor")


def migrate() -> None:
    """Create the database, or bring it to the newest version. Safe to repeat.

    Example: `PHYLON_DATABASE_URL=sqlite:///phylon.db phylon migrate`
    """
    require_server()
    _become("phylon.backend.migrate")


def _become(module: str, *arguments: str) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
