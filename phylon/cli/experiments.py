"""Commands about experiments on the service: submit, list, show, stop."""

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import duration, final_return, number, out, print_json, print_table, say
from phylon.cli.group_watching import watch_group
from phylon.cli.language import JsonOption
from phylon.cli.own_environments import describe_named
from phylon.cli.spec_argument import SetOption, SpecArgument, load_spec
from phylon.cli.watching import watch_experiment
from phylon.client import Client
from phylon.contract.experiments import Experiment, ExperimentSummary
from phylon.contract.runs import Run
from phylon.contract.vocabulary import ExperimentStatus, Priority

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="PHYLON_API_URL",
        help="Address of the service. Default: where `phylon login` signed in, else this machine.",
    ),
]
ProjectOption = Annotated[
    str | None, typer.Option("--project", help="Project that it is for. Default: the first of which you are a member.")
]
PriorityOption = Annotated[Priority, typer.Option(help="Class: higher ones are served first.")]
ExperimentArgument = Annotated[
    int, typer.Argument(metavar="EXPERIMENT", help="Number of the experiment, as `phylon list` shows it.")
]


def submit(
    spec: SpecArgument,
    set_: SetOption = None,
    priority: PriorityOption = Priority.NORMAL,
    wait_for_worker: Annotated[
        bool, typer.Option("--wait-for-worker", help="Queue it although no known worker could execute it.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Follow it until it ends, as `phylon watch` does.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Put an experiment, or all those of a group, into the service's queue.

    Prints its number. Nothing is stored when the spec is invalid, or when no worker that the service knows could ever
    execute it.

    Example: `phylon submit td3-pbt-pendulum-smoke --watch`
    """
    with Client(url) as client:
        document = load_spec(spec, set_, lambda document: describe_named(client, document))
        submitted = client.submit(document, project, priority, wait_for_worker)
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
    query: Annotated[
        str | None,
        typer.Option(help='Only those that match, e.g. "algorithm = td3 and env ~ cheetah and final > 3000".'),
    ] = None,
    sort: Annotated[str | None, typer.Option(help="Column to sort by; -final for the greatest first.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Also show this value of the spec, or metric; may be repeated.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="Only names that contain this word.")] = None,
    status: Annotated[ExperimentStatus | None, typer.Option(help="Only those that are in this state.")] = None,
    group: Annotated[int | None, typer.Option(help="Only those of the group with this number.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 20,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the experiments of the service, newest first or by any column. What queries can say: docs/organise.md.

    Example: `phylon list --query "status = finished and tag = paper" --sort -final`
    """
    more = column or []
    with Client(url) as client:
        found = client.experiments(search, status, group, limit + 1, query, sort, more)
    if json:
        print_json([experiment.model_dump(mode="json") for experiment in found[:limit]])
        return
    columns = ["id", "name", "status", "environment", "members", "progress", "final", "last", "best", "steps/s"]
    rows = [[*_row(each), *(_value(each.values, name) for name in more)] for each in found[:limit]]
    print_table([*columns, *more], rows, right=["id", *columns[4:]])
    if len(found) > limit:
        say(f"these are the first {limit}; --limit shows more")


def _value(values: Mapping[str, float | str], name: str) -> str:
    value = values.get(name, values.get(f"spec.{name}"))
    return number(value) if isinstance(value, int | float) else value or "-"


def _row(experiment: ExperimentSummary) -> list[str]:
    return [
        str(experiment.id),
        experiment.name,
        experiment.status,
        experiment.environment,
        str(experiment.population_size),
        f"{experiment.step / max(1, experiment.total_steps):.0%}",
        number(experiment.final_return),
        number(experiment.last_return),
        number(experiment.best_return),
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
    returns = ["final", "last", "best", "median"]
    columns = ["run", "replicate", "seed", "status", "step", "of", *returns, "steps/s", "left", "worker"]
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
        final_return(run.final),
        number(run.last_return),
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
