"""`phylon check-environment`: what an environment really does, before a population is trained on it."""

import json as json_format
from typing import Annotated, Any

import typer
import yaml
from pydantic import ValidationError
from rich.markup import escape

from phylon.catalogue import suite_of
from phylon.cli.console import print_json, print_table, say
from phylon.cli.engine import ask_engine
from phylon.cli.exits import FAILED, BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.following import follow
from phylon.cli.language import JsonOption
from phylon.cli.own_environments import allow_here
from phylon.client import Client
from phylon.contract.environment_checks import EnvironmentReport
from phylon.spec.environment import EnvironmentSpec

ENGINE = "phylon.worker.environments.checking"


def check_environment(
    id: Annotated[str, typer.Argument(metavar="ID", help="Of the catalogue, or my_package:MyEnv-v0.")],
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Handed to `gymnasium.make`; the value is YAML. May be repeated."),
    ] = None,
    suite: Annotated[str | None, typer.Option(help="Default: gymnasium, or the only one that has it.")] = None,
    on_worker: Annotated[
        bool, typer.Option("--on-worker", help="Let a worker of the service try it that offers it, not this machine.")
    ] = False,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Try an environment: what it returns, seeds, ends of episodes, speed, memory, rendering.

    Says what will be slow or wrong, and what to write in a spec. Exit code 1 when something is wrong.

    With --on-worker a worker of the service does it, which offers the environment.

    Example: `phylon check-environment my_package:MyEnv-v0 --option size=8`
    """
    try:
        section = EnvironmentSpec.model_validate(
            {"suite": suite or suite_of(id), "id": id, "options": _options(option or [])}
        )
    except ValidationError as error:
        raise BadInput("; ".join(problem["msg"] for problem in error.errors())) from None
    if on_worker:
        report = _ask_worker(section, url)
    else:
        allow_here([id])
        report = EnvironmentReport.model_validate(ask_engine(ENGINE, section.model_dump_json()))
    if json:
        print_json(report.model_dump(mode="json"))
    else:
        _show(report)
    if report.verdict == "wrong":
        raise typer.Exit(FAILED)


def _ask_worker(section: EnvironmentSpec, url: str | None) -> EnvironmentReport:
    with Client(url) as client:
        asked = client.check_environment(section.id, section.suite, section.options)
        found = follow(
            client, asked, client.environment_check, "environment-check", lambda now: (int(now.report is not None), 1)
        )
    assert found.report is not None  # it has finished
    return found.report


def _show(report: EnvironmentReport) -> None:
    rows = [(finding.verdict, finding.subject, finding.message) for finding in report.findings]
    print_table(["", "checked", "found"], rows)
    for finding in report.findings:
        if finding.remedy:
            say(escape(f"{finding.subject}: {finding.remedy}"))
    learners = ", ".join(report.algorithms) or "none: change its spaces"
    say(f"algorithms that can learn here: {escape(learners)}")
    section = {name: value for name, value in report.environment.items() if name != "spaces"}
    say(escape("in a spec: environment: " + json_format.dumps(section)))
    if "spaces" in report.environment:
        say("its spaces are filled in where it can be imported; --json prints them for a spec that goes elsewhere")


def _options(written: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in written:
        name, is_given, value = text.partition("=")
        if not is_given:
            raise BadInput(f"--option {text}: write NAME=VALUE")
        options[name] = yaml.safe_load(value)
    return options
