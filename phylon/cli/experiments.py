"""Commands about experiments on the service: submit, list, show, stop."""

from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import duration, number, out, print_json, print_table, say
from phylon.cli.group_watching import watch_group
from phylon.cli.language import JsonOption
from phylon.cli.spec_argument import SetOption, SpecArgument, load_spec
from phylon.cli.watching import watch_experiment
from phylon.client import Client
from phylon.contract.experiments import Experiment, ExperimentSummary
from phylon.contract.runs import Run
from phylon.contract.vocabulary import ExperimentStatus

UrlOption = Annotated[
    str | None,
    typer.Option("--url", envvar="PHYLON_API_URL", help="Address of the service. Default: http://127.0.0.1:8787."),
]
ExperimentArgument = Annotated[
    int, typer.Argument(metavar="EXPERIMENT", help="Number of the experiment, as `phylon list` shows it.")
]


def submit(
    spec: SpecArgument,
    set_: SetOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow it until it ends, as `phylon watch` does.")] = False,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Put an experiment, or all those of a group, into the service's queue.

    Prints its number. Nothing is stored when the spec is invalid.

    Example: `phylon submit td3-pbt-pendulum-smoke --watch`
    """
    with Client(url) as client:
        submitted = client.submit(load_spec(spec, set_))
        if json:
            print_json(submitted.model_dump(mode="json"))
        elif isinstance(submitted, Experiment):
            say(f"experiment [bold]{submitted.id}[/] ({escape(submitted.name)}) is {submitted.status}")
        else:
            say(f"group [bold]{submitted.id}[/] ({escape(submitted.name)}): {submitted.size} experiments are queued")
        if watch and isinstance(submitted, Experiment):
            watch_experiment(client, submitted)
        elif watch:
            watch_group(client, submitted.id)


def list_(
    search: Annotated[str | None, typer.Option(help="Only names that contain this word.")] = None,
    status: Annotated[ExperimentStatus | None, typer.Option(help="Only those that are in this state.")] = None,
    group: Annotated[int | None, typer.Option(help="Only those of the group with this number.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many, newest first.")] = 20,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the experiments of the service, newest first.

    Example: `phylon list --status running`
    """
    with Client(url) as client:
        found = client.experiments(search=search, status=status, group=group, limit=limit + 1)
    if json:
        print_json([experiment.model_dump(mode="json") for experiment in found[:limit]])
        return
    columns = ["id", "name", "status", "environment", "members", "progress", "best", "last", "steps/s"]
    print_table(columns, map(_row, found[:limit]), right=["id", "members", "progress", "best", "last", "steps/s"])
    if len(found) > limit:
        say(f"these are the newest {limit}; --limit shows more")


def _row(experiment: ExperimentSummary) -> list[str]:
    return [
        str(experiment.id),
        experiment.name,
        experiment.status,
        experiment.environment,
        str(experiment.population_size),
        f"{experiment.step / max(1, experiment.total_steps):.0%}",
        number(experiment.best_return),
        number(experiment.last_return),
        number(experiment.env_steps_per_second),
    ]


def show(experiment: ExperimentArgument, json: JsonOption = False, url: UrlOption = None) -> None:
    """Show one experiment: its runs, how far they are, and its spec.

    Example: `phylon show 3 --json`
    """
    with Client(url) as client:
        found = client.experiment(experiment)
    if json:
        print_json(found.model_dump(mode="json"))
        return
    say(f"experiment [bold]{found.id}[/] {escape(found.name)}: {found.status}")
    columns = ["run", "replicate", "seed", "status", "step", "of", "best", "median", "steps/s", "left", "worker"]
    print_table(columns, map(_run_row, found.runs), right=columns[:3] + columns[4:-1])
    _tell_errors(found)
    out.print()
    out.print(found.yaml.rstrip(), markup=False, highlight=False, soft_wrap=True)


def _run_row(run: Run) -> list[str]:
    return [
        str(run.id),
        str(run.replicate),
        str(run.seed),
        run.status,
        f"{run.step:,}",
        f"{run.total_steps:,}",
        number(run.best_return),
        number(run.median_return),
        number(run.env_steps_per_second),
        duration(run.eta_seconds),
        run.worker_name or "-",
    ]


def _tell_errors(experiment: Experiment) -> None:
    for run in experiment.runs:
        if run.error:
            member = "" if run.error.member is None else f" (member {run.error.member})"
            say(f"[red]run {run.id} failed[/]{member}: {escape(run.error.message)}\n  → {escape(run.error.remedy)}")


def stop(experiment: ExperimentArgument, url: UrlOption = None) -> None:
    """Stop an experiment: each run writes a checkpoint and ends.

    Example: `phylon stop 3`
    """
    with Client(url) as client:
        stopped = client.stop(experiment)
    say(f"experiment [bold]{stopped.id}[/]: " + ", ".join(f"run {run.id} is {run.status}" for run in stopped.runs))
