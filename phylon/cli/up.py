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
from phylon.cli.local.home import DEFAULT_HOME, opened
from phylon.cli.local.platform import Platform
from phylon.cli.local.ports import choose_port

LOOK_SECONDS = 0.5


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

    Prints the address to open. Ctrl-C ends everything in order, with exit code 0: a run that is being trained writes a
    checkpoint and goes on at the next start. A process that dies is started again.

    Example: `phylon up --home ./phylon-home --port 9000`
    """
    require_server()
    if worker:
        require_worker()
    with opened(home) as place:
        platform = Platform(place, choose_port(port), worker, _tell)
        _obey_signals(platform)
        try:
            platform.start()
            say(f"Phylon is ready: [bold link={platform.url}]{platform.url}[/]   (data in {escape(str(place.path))})")
            _tell("Ctrl-C ends it")
            while True:
                time.sleep(LOOK_SECONDS)
                platform.look_after()
        except KeyboardInterrupt:
            _tell("ending; a run in training writes its checkpoint first. Ctrl-C again kills everything")
        finally:
            platform.stop()


def _obey_signals(platform: Platform) -> None:
    """The first Ctrl-C or SIGTERM ends the platform in order, the second at once."""
    asked = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        del number, frame
        if asked:
            platform.kill()
        else:
            asked = True
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _tell(text: str) -> None:
    err.print(text, markup=False, highlight=False, soft_wrap=True)
