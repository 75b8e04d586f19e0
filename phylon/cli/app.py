"""Puts the commands together. Each is a plain function in the module of its group."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

import typer

from phylon.cli.exits import EXIT_CODES, guarded
from phylon.cli.experiments import list_, show, stop, submit
from phylon.cli.export import export
from phylon.cli.groups import groups
from phylon.cli.language import environments, presets, validate
from phylon.cli.lineage import lineage, schedule
from phylon.cli.runs import download, logs, watch
from phylon.cli.servers import migrate, serve, worker
from phylon.cli.study import study
from phylon.cli.training import train
from phylon.cli.up import up

GROUPS: dict[str, dict[str, Callable[..., Any]]] = {
    "Write a spec": {"presets": presets, "environments": environments, "validate": validate},
    "Work without a service": {"train": train, "study": study},
    "Study results": {"lineage": lineage, "schedule": schedule, "export": export},
    "Use the service": {
        "submit": submit,
        "list": list_,
        "show": show,
        "watch": watch,
        "stop": stop,
        "groups": groups,
        "logs": logs,
        "download": download,
    },
    "Run the service": {"up": up, "serve": serve, "worker": worker, "migrate": migrate},
}

app = typer.Typer(
    name="phylon",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,  # they may hold a token
    rich_markup_mode="markdown",
    epilog=EXIT_CODES,
)
for group, commands in GROUPS.items():
    for name, function in commands.items():
        app.command(name, rich_help_panel=group)(guarded(function))


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(version("phylon"))
        raise typer.Exit


@app.callback()
def phylon(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Population-based reinforcement learning: train populations, see who descends from whom.

    Begin with `phylon up` and open the printed address, or with `phylon train td3-pbt-pendulum-smoke`.
    """
    del version
