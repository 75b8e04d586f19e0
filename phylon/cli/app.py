"""The command `phylon`: what there is, and in which module each command is found.

A command's module is loaded when it is run or asked for help. Until then what is shown of it, the first paragraph of
its docstring, is read from its source: loading all of them takes three times as long as anything that is shown.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

GROUPS: dict[str, dict[str, str]] = {
    "Write a spec": {
        "presets": "language:presets",
        "environments": "language:environments",
        "check-environment": "check_environment:check_environment",
        "validate": "language:validate",
    },
    "Work without a service": {"train": "training:train", "study": "study:study"},
    "Use what was learned": {"policy": "policy:policy", "play": "play:play"},
    "Study results": {
        "compare": "compare:compare",
        "explain": "explain:explain",
        "lineage": "lineage:lineage",
        "schedule": "lineage:schedule",
        "export": "export:export",
        "seeds": "seeds:seeds",
        "import": "imports:import_",
    },
    "Use the service": {
        "submit": "experiments:submit",
        "queue": "queue:queue",
        "prioritise": "queue:prioritise",
        "move": "queue:move",
        "list": "experiments:list_",
        "show": "experiments:show",
        "tag": "organise:tag",
        "note": "organise:note",
        "star": "organise:star",
        "archive": "organise:archive",
        "rename": "organise:rename",
        "watch": "runs:watch",
        "stop": "lifecycle:stop",
        "pause": "lifecycle:pause",
        "resume": "lifecycle:resume",
        "retry": "lifecycle:retry",
        "extend": "lifecycle:extend",
        "attempts": "lifecycle:attempts",
        "fork": "fork:fork",
        "controls": "controls:controls",
        "groups": "groups:groups",
        "studies": "study:studies",
        "evaluations": "evaluations:evaluations",
        "logs": "runs:logs",
        "download": "runs:download",
        "webhooks": "webhooks:webhooks",
    },
    "Work in a team": {
        "login": "accounts:login",
        "logout": "accounts:logout",
        "tokens": "accounts:tokens",
        "people": "accounts:people",
        "projects": "accounts:projects",
        "audit": "audit:audit",
    },
    "Run the service": {
        "workers": "workers:workers",
        "up": "up:up",
        "serve": "servers:serve",
        "worker": "servers:worker",
        "migrate": "servers:migrate",
        "backup": "backup:backup",
        "restore": "backup:restore",
        "doctor": "doctor:doctor",
    },
}
OPERATIONS: dict[str, str] = {
    "code": "workers:code",
    "drain": "workers:drain",
    "undrain": "workers:undrain",
    "release": "workers:release",
    "label": "workers:label",
    "revoke": "workers:revoke",
}
"""Of `phylon workers`."""
EXIT_CODES = """Exit codes: 0 all is well · 1 the work failed (a run failed, a process died) ·
2 bad input (an invalid spec, an unknown name or id, wrong usage) · 3 no service answers · 130 interrupted"""


class Commands(TyperGroup):
    """Its commands are names with a summary, until one is meant."""

    def __init__(self, **settings: Any) -> None:
        settings["commands"] = {
            name: TyperCommand(name, help=summary(place), rich_help_panel=group)
            for group, commands in GROUPS.items()
            for name, place in commands.items()
        }
        super().__init__(**settings)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, shown, rest = super().resolve_command(ctx, args)
        return name, load(name) if name and shown else shown, rest


def load(name: str) -> Any:
    """A command with its options, as Typer makes it of the function and its docstring."""
    place = next(commands[name] for commands in GROUPS.values() if name in commands)
    command = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    if name == "workers":
        command.callback(invoke_without_command=True)(_function(place))
        for operation, where in OPERATIONS.items():
            command.command(operation)(_function(where))
    else:
        command.command(name)(_function(place))
    return get_command(command)


def _function(place: str) -> Callable[..., Any]:
    from phylon.cli.exits import guarded  # here, because it loads what a spec may say, which `--help` does without

    module, _, name = place.partition(":")
    return guarded(getattr(import_module(f"phylon.cli.{module}"), name))


def summary(place: str) -> str:
    """The first paragraph of a function's docstring, or of the help that one is made with."""
    module, _, name = place.partition(":")
    definition = re.split(rf"^(?:def )?{name}\b", _source(module), maxsplit=1, flags=re.MULTILINE)[1]
    docstring = definition.split('"""')[1]
    return docstring.partition("\n\n")[0]


@cache
def _source(module: str) -> str:
    return Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")


app = typer.Typer(
    name="phylon",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,  # they may hold a token
    rich_markup_mode="markdown",
    epilog=EXIT_CODES,
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

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
