"""Puts the commands together. Each is a plain function in the module of its group."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

import typer

from phylon.cli.accounts import login, logout, people, projects, tokens
from phylon.cli.audit import audit
from phylon.cli.backup import backup, restore
from phylon.cli.check_environment import check_environment
from phylon.cli.compare import compare
from phylon.cli.controls import controls
from phylon.cli.doctor import doctor
from phylon.cli.evaluations import evaluations
from phylon.cli.exits import EXIT_CODES, guarded
from phylon.cli.experiments import list_, show, submit
from phylon.cli.explain import explain
from phylon.cli.export import export
from phylon.cli.fork import fork
from phylon.cli.groups import groups
from phylon.cli.imports import import_
from phylon.cli.language import environments, presets, validate
from phylon.cli.lifecycle import attempts, extend, pause, resume, retry, stop
from phylon.cli.lineage import lineage, schedule
from phylon.cli.organise import archive, note, rename, star, tag
from phylon.cli.play import play
from phylon.cli.policy import policy
from phylon.cli.queue import move, prioritise, queue
from phylon.cli.runs import download, logs, watch
from phylon.cli.seeds import seeds
from phylon.cli.servers import migrate, serve, worker
from phylon.cli.study import studies, study
from phylon.cli.training import train
from phylon.cli.up import up
from phylon.cli.webhooks import webhooks
from phylon.cli.workers import code, drain, label, release, revoke, undrain, workers

GROUPS: dict[str, dict[str, Callable[..., Any]]] = {
    "Write a spec": {
        "presets": presets,
        "environments": environments,
        "check-environment": check_environment,
        "validate": validate,
    },
    "Work without a service": {"train": train, "study": study},
    "Use what was learned": {"policy": policy, "play": play},
    "Study results": {
        "compare": compare,
        "explain": explain,
        "lineage": lineage,
        "schedule": schedule,
        "export": export,
        "seeds": seeds,
        "import": import_,
    },
    "Use the service": {
        "submit": submit,
        "queue": queue,
        "prioritise": prioritise,
        "move": move,
        "list": list_,
        "show": show,
        "tag": tag,
        "note": note,
        "star": star,
        "archive": archive,
        "rename": rename,
        "watch": watch,
        "stop": stop,
        "pause": pause,
        "resume": resume,
        "retry": retry,
        "extend": extend,
        "attempts": attempts,
        "fork": fork,
        "controls": controls,
        "groups": groups,
        "studies": studies,
        "evaluations": evaluations,
        "logs": logs,
        "download": download,
        "webhooks": webhooks,
    },
    "Work in a team": {
        "login": login,
        "logout": logout,
        "tokens": tokens,
        "people": people,
        "projects": projects,
        "audit": audit,
        "workers": workers,
    },
    "Run the service": {
        "up": up,
        "serve": serve,
        "worker": worker,
        "migrate": migrate,
        "backup": backup,
        "restore": restore,
        "doctor": doctor,
    },
}
OPERATIONS: dict[str, Callable[..., Any]] = {
    "code": code,
    "drain": drain,
    "undrain": undrain,
    "release": release,
    "label": label,
    "revoke": revoke,
}
"""Of `phylon workers`."""

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

operators = typer.Typer(rich_markup_mode="markdown")
operators.callback(invoke_without_command=True)(guarded(workers))
for name, function in OPERATIONS.items():
    operators.command(name)(guarded(function))
app.add_typer(operators, name="workers", rich_help_panel="Run the service")


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
