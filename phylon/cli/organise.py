"""Commands that keep experiments in order: tags, notes, names, stars and the archive."""

import sys
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import out, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import ExperimentArgument, UrlOption
from phylon.client import Client
from phylon.contract.experiments import BulkAction, BulkReport, ExperimentChange

ExperimentsArgument = Annotated[
    list[int], typer.Argument(metavar="EXPERIMENT...", help="Numbers of experiments, as `phylon list` shows them.")
]


def tag(
    name: Annotated[str, typer.Argument(metavar="TAG", help="A word or a few.")],
    experiments: ExperimentsArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Take the tag off them.")] = False,
    url: UrlOption = None,
) -> None:
    """Tag experiments, to find them again: `phylon list --query "tag = paper"`.

    Example: `phylon tag paper 3 4 7`
    """
    _act(experiments, BulkAction.UNTAG if remove else BulkAction.TAG, name, url)


def star(
    experiments: ExperimentsArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Take the star off them.")] = False,
    url: UrlOption = None,
) -> None:
    """Star experiments, for yourself alone.

    Example: `phylon star 3`
    """
    _act(experiments, BulkAction.UNSTAR if remove else BulkAction.STAR, None, url)


def archive(
    experiments: ExperimentsArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Bring them back.")] = False,
    url: UrlOption = None,
) -> None:
    """Put experiments out of sight; nothing of them is lost, and `phylon list --query "archived = yes"` finds them.

    Example: `phylon archive 3 4 7`
    """
    _act(experiments, BulkAction.UNARCHIVE if remove else BulkAction.ARCHIVE, None, url)


def rename(
    experiment: ExperimentArgument,
    name: Annotated[str, typer.Argument(help="Letters, digits, '.', '_' and '-'.")],
    url: UrlOption = None,
) -> None:
    """Give an experiment another name.

    Example: `phylon rename 3 td3-larger-batch`
    """
    with Client(url) as client:
        changed = client.change_experiment(experiment, ExperimentChange(name=name))
    say(f"experiment [bold]{changed.id}[/] is now called {escape(changed.name)}")


def note(
    experiment: ExperimentArgument,
    text: Annotated[
        str | None, typer.Argument(help="Markdown, or - to read it from the input; without it, print the notes.")
    ] = None,
    url: UrlOption = None,
) -> None:
    """Write the notes of an experiment, or print them.

    Example: `phylon note 3 "The larger batch **helps**."`
    """
    with Client(url) as client:
        if text is None:
            out.print(client.experiment(experiment).notes, markup=False, highlight=False, soft_wrap=True)
            return
        notes = sys.stdin.read() if text == "-" else text
        client.change_experiment(experiment, ExperimentChange(notes=notes))
    say(f"experiment [bold]{experiment}[/] has {len(notes):,} characters of notes")


def _act(experiments: list[int], action: BulkAction, tag: str | None, url: str | None) -> None:
    with Client(url) as client:
        report = client.act_on_experiments(experiments, action, tag)
    _tell(report, action)


def _tell(report: BulkReport, action: BulkAction) -> None:
    if report.done:
        say(f"{action}: experiment{'s' if len(report.done) > 1 else ''} {', '.join(map(str, report.done))}")
    if report.refused:
        raise BadInput("; ".join(f"experiment {each.id}: {each.reason}" for each in report.refused))
