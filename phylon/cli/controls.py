"""`phylon controls`: did tuning help?"""

from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import number, print_json, print_table, say
from phylon.cli.experiments import PriorityOption, ProjectOption, UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.controls import Control
from phylon.contract.vocabulary import Priority


def controls(
    run: Annotated[int, typer.Argument(metavar="RUN", help="Number of a finished run on the service.")],
    again: Annotated[bool, typer.Option("--again", help="Start new ones although there are some.")] = False,
    project: ProjectOption = None,
    priority: PriorityOption = Priority.NORMAL,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Did tuning help? Starts a group of controls for a finished run, or shows what those that there are say.

    The controls: fresh members on the schedule that the winner's ancestors lived through, on its final values, and
    random search; all with the size, budget and replicates of the run's experiment. See docs/fork.md.

    Example: `phylon controls 12`
    """
    with Client(url) as client:
        found = None if again else client.controls(run).newest
        is_new = found is None
        found = found or client.start_controls(run, project, priority)
    if json:
        print_json(found.model_dump(mode="json"))
        return
    if is_new:
        say(f"group [bold]{found.group.id}[/] ({escape(found.group.name)}): {len(found.controls)} controls are queued")
        return
    say(escape(found.headline))
    columns = ["control", "experiment", "status", "answer", "tuned minus control", "95 %"]
    print_table(columns, map(_row, found.controls), right=["experiment", "tuned minus control"])
    for caveat in found.caveats:
        say(escape(caveat.text))


def _row(control: Control) -> list[str]:
    difference = control.difference
    interval = "-"
    if difference is not None and difference.low is not None and difference.high is not None:
        interval = f"{number(difference.low)} to {number(difference.high)}"
    return [
        control.kind.value,
        str(control.experiment_id),
        control.status,
        control.answer.value,
        number(difference.value) if difference else "-",
        interval,
    ]
