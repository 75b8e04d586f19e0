"""`phylon check-environment`: what an environment really does, before a population is trained on it."""

import json as json_format
from typing import Annotated, Any

import typer
import yaml
from pydantic import ValidationError
from rich.markup import escape

from phylon.cli.console import print_json, print_table, say
from phylon.cli.engine import ask_engine
from phylon.cli.exits import FAILED, BadInput
from phylon.cli.language import JsonOption
from phylon.cli.own_environments import allow_here
from phylon.registry import suites
from phylon.spec.environment import EnvironmentSpec

ENGINE = "phylon.worker.environments.checking"


def check_environment(
    id: Annotated[str, typer.Argument(metavar="ID", help="Of the catalogue, or my_package:MyEnv-v0.")],
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Handed to `gymnasium.make`; the value is YAML. May be repeated."),
    ] = None,
    suite: Annotated[str | None, typer.Option(help="Default: gymnasium.")] = None,
    json: JsonOption = False,
) -> None:
    """Try an environment: what it returns, seeds, ends of episodes, speed, memory, rendering.

    Says what will be slow or wrong, and what to write in a spec. Exit code 1 when something is wrong.

    Example: `phylon check-environment my_package:MyEnv-v0 --option size=8`
    """
    usual = next(name for name, each in suites().items() if each.is_usual)
    try:
        section = EnvironmentSpec.model_validate({"suite": suite or usual, "id": id, "options": _options(option or [])})
    except ValidationError as error:
        raise BadInput("; ".join(problem["msg"] for problem in error.errors())) from None
    allow_here([id])
    answer: dict[str, Any] = ask_engine(ENGINE, section.model_dump_json())
    is_wrong = any(finding["verdict"] == "wrong" for finding in answer["findings"])
    if json:
        print_json(answer)
    else:
        _show(answer)
    if is_wrong:
        raise typer.Exit(FAILED)


def _show(answer: dict[str, Any]) -> None:
    rows = [(finding["verdict"], finding["subject"], finding["message"]) for finding in answer["findings"]]
    print_table(["", "checked", "found"], rows)
    for finding in answer["findings"]:
        if finding["remedy"]:
            say(escape(f"{finding['subject']}: {finding['remedy']}"))
    learners = ", ".join(answer["algorithms"]) or "none: change its spaces"
    say(f"algorithms that can learn here: {escape(learners)}")
    section = {name: value for name, value in answer["environment"].items() if name != "spaces"}
    say(escape("in a spec: environment: " + json_format.dumps(section)))
    if "spaces" in answer["environment"]:
        say("its spaces are filled in where it can be imported; --json prints them for a spec that goes elsewhere")


def _options(written: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in written:
        name, is_given, value = text.partition("=")
        if not is_given:
            raise BadInput(f"--option {text}: write NAME=VALUE")
        options[name] = yaml.safe_load(value)
    return options
