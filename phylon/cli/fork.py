"""`phylon fork`: a new experiment from the weights of a run."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from phylon.cli.console import print_json, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import PriorityOption, ProjectOption, UrlOption
from phylon.cli.language import JsonOption
from phylon.cli.spec_argument import SetOption
from phylon.client import Client
from phylon.contract.vocabulary import Priority
from phylon.spec import read_yaml


def fork(
    run: Annotated[int, typer.Argument(metavar="RUN", help="Number of a run on the service.")],
    member: Annotated[
        int | None, typer.Option(min=0, help="Whose weights to take. Default: the best by fitness.")
    ] = None,
    span: Annotated[
        int | None, typer.Option(min=0, help="A stretch of the lineage, as `phylon lineage` shows it, instead.")
    ] = None,
    step: Annotated[int | None, typer.Option(min=0, help="Of a checkpoint that is kept. Default: the newest.")] = None,
    set_: SetOption = None,
    project: ProjectOption = None,
    priority: PriorityOption = Priority.NORMAL,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Put a new experiment into the queue whose founders begin with weights of a run.

    It has the spec of that run, with what `--set` changes. What comes along, and what does not: docs/fork.md.

    Example: `phylon fork 12 --member 3 --step 40000 --set budget.env_steps=200000`
    """
    changes: dict[str, Any] = {}
    for override in set_ or []:
        path, separator, text = override.partition("=")
        if not separator:
            raise BadInput(f"--set '{override}' does not say path=value, e.g. --set algorithm.discount=0.98")
        changes[path.strip()] = read_yaml(text)
    with Client(url) as client:
        made = client.fork(run, changes, span, member, step, project, priority)
    if json:
        print_json(made.model_dump(mode="json"))
        return
    [source] = made.started_from
    members = ", ".join(map(str, source.members))
    say(
        f"experiment [bold]{made.id}[/] ({escape(made.name)}) is {made.status}: from member {members} of run {run} at "
        f"step {source.step:,}"
    )
