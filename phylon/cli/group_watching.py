"""Follows a group until its last experiment ends: a line for each that changes its state."""

import time

import typer
from rich.markup import escape

from phylon.cli.console import err, number, print_table, say
from phylon.cli.exits import FAILED, INTERRUPTED
from phylon.client import Client
from phylon.contract.groups import Estimate, ExperimentGroup, GroupExperiment, GroupOf
from phylon.contract.vocabulary import ExperimentStatus

POLL_SECONDS = 2.0


def watch_group(client: Client, group_id: int) -> None:
    """Exits with 1 when an experiment failed; Ctrl-C ends the watching, not the runs."""
    states: dict[int, str] = {}
    try:
        while True:
            group = client.group(group_id)
            for experiment in group.experiments:
                if states.get(experiment.id) != experiment.status:
                    states[experiment.id] = experiment.status
                    _tell(f"{experiment.name} is {experiment.status} ({group.progress:.0%} of the group is done)")
            if not {"queued", "running"} & set(group.counts):
                break
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        _tell(f"no longer watching; the group goes on. `phylon groups {group_id} --stop` stops it")
        raise typer.Exit(INTERRUPTED) from None
    show_group(group)
    if group.counts.get(ExperimentStatus.FAILED):
        raise typer.Exit(FAILED)


def _tell(text: str) -> None:
    err.print(text, soft_wrap=True, markup=False, highlight=False)


def show_group(group: ExperimentGroup) -> None:
    counts = ", ".join(f"{count} {status}" for status, count in group.counts.items())
    say(f"group [bold]{group.id}[/] {escape(group.name)}: {counts or 'no experiments'}")
    columns = ["id", "name", "status", "environment", "progress", "return", "measured", "samples"]
    print_table(columns, map(_row, group.experiments), right=["id", "progress", "return", "samples"])
    if group.of == GroupOf.ARMS and group.size > 1:
        say(f"its experiments are arms, which are not averaged: [bold]phylon compare group-{group.id}[/] compares them")
    if group.aggregate:
        basis = f"{group.aggregate.samples} samples of {group.aggregate.experiments} experiments"
        say(f"interquartile mean {_in_words(group.aggregate.interquartile_mean)}, {basis}")
        say(f"mean {_in_words(group.aggregate.mean)}")


def _row(experiment: GroupExperiment) -> list[str]:
    return [
        str(experiment.id),
        experiment.name,
        experiment.status,
        experiment.environment,
        f"{experiment.step / max(1, experiment.total_steps):.0%}",
        number(experiment.score),
        "-" if experiment.score is None else "finally" if experiment.is_final else "last in training",
        str(experiment.samples),
    ]


def _in_words(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{number(estimate.value)} (no interval: one sample an experiment)"
    return f"{number(estimate.value)} (95 % interval {number(estimate.low)} to {number(estimate.high)})"
