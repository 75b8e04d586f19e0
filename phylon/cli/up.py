"""`phylon up`: the whole platform on this machine, with nothing to install or configure beside it."""

import signal
import time
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import err, say
from phylon.cli.extras import require_server, require_worker
from phylon.cli.local.home import DEFAULT_HOME, open_home
from phylon.cli.local.platform import Platform
from phylon.cli.local.ports import choose_port

POLL_SECONDS = 0.5


def up(
    home: Annotated[
        Path, typer.Option(envvar="PHYLON_HOME", help="Directory for database, runs, logs and checkpoints.")
    ] = Path(DEFAULT_HOME),
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the service. Default: the first free one from 8787 on."),
    ] = None,
    worker: Annotated[bool, typer.Option(help="Also run a worker on this machine.")] = True,
) -> None:
    """Start Phylon on this machine: web interface, service, queue and one worker.

    Prints the address to open. Ctrl-C stops everything in order, with exit code 0: a run that is being trained writes a
    checkpoint and goes on at the next start. A process that dies is restarted.

    Example: `phylon up --home ./phylon-home --port 9000`
    """
    require_server()
    if worker:
        require_worker()
    with open_home(home) as place:
        platform = Platform(place, choose_port(port), worker, _report)
        _stop_on_signals(platform)
        try:
            platform.start()
            say(f"Phylon is ready: [bold link={platform.url}]{platform.url}[/]   (data in {escape(str(place.path))})")
            _report("Press Ctrl-C to stop it.")
            while True:
                time.sleep(POLL_SECONDS)
                platform.restart_dead()
        except KeyboardInterrupt:
            _report("Stopping; a run in training writes its checkpoint first. Press Ctrl-C again to kill everything.")
        finally:
            platform.stop()


def _stop_on_signals(platform: Platform) -> None:
    """The first Ctrl-C or SIGTERM stops the platform in order, the second at once."""
    stopping = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopping
        del number, frame
        if stopping:
            platform.kill()
        else:
            stopping = True
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _report(text: str) -> None:
    err.print(text, markup=False, highlight=False, soft_wrap=True)
