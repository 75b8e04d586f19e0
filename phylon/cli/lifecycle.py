"""Commands that change how work goes on: stop, pause, resume, retry, extend; and attempts, their history."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer
from rich.markup import escape

from phylon.cli.console import final_return, print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import ExperimentArgument, UrlOption
from phylon.cli.language import JsonOption
from phylon.cli.runs import choose_run
from phylon.cli.spec_argument import set_field
from phylon.client import Client
from phylon.contract.evaluations import StoredEvaluation
from phylon.contract.experiments import Experiment
from phylon.contract.groups import ExperimentGroup
from phylon.contract.runs import Attempt, Run
from phylon.contract.studies import StoredStudy

ExperimentsArgument = Annotated[
    list[int] | None,
    typer.Argument(metavar="[EXPERIMENT]...", help="Numbers of experiments, as `phylon list` shows them."),
]
ReplicateOption = Annotated[
    int | None, typer.Option(help="Only this of the experiment's runs, counted from 0; without it, all.")
]
GroupOption = Annotated[int | None, typer.Option(help="All experiments of the group with this number.")]
StudyOption = Annotated[int | None, typer.Option(help="The runtime study with this number.")]
EvaluationOption = Annotated[int | None, typer.Option(help="The evaluation with this number.")]


class Verb(NamedTuple):
    of_run: Callable[..., Run]
    of_experiment: Callable[..., Experiment]
    of_group: Callable[..., ExperimentGroup]
    of_study: Callable[[Client, int], StoredStudy] | None = None
    of_evaluation: Callable[[Client, int], StoredEvaluation] | None = None


def stop(
    experiments: ExperimentsArgument = None,
    replicate: ReplicateOption = None,
    group: GroupOption = None,
    study: StudyOption = None,
    evaluation: EvaluationOption = None,
    url: UrlOption = None,
) -> None:
    """Let runs end at their next segment border, each with a checkpoint; what waits leaves the queue.

    Example: `phylon stop 3`
    """
    verb = Verb(Client.stop_run, Client.stop, Client.stop_group, Client.stop_study, Client.stop_evaluation)
    _act(verb, experiments, replicate, group, study, evaluation, url)


def pause(
    experiments: ExperimentsArgument = None,
    replicate: ReplicateOption = None,
    group: GroupOption = None,
    study: StudyOption = None,
    evaluation: EvaluationOption = None,
    url: UrlOption = None,
) -> None:
    """Let runs keep their checkpoint, leave their worker at the next segment border, and wait.

    Example: `phylon pause 3 4`
    """
    verb = Verb(Client.pause_run, Client.pause, Client.pause_group, Client.pause_study, Client.pause_evaluation)
    _act(verb, experiments, replicate, group, study, evaluation, url)


def resume(
    experiments: ExperimentsArgument = None,
    replicate: ReplicateOption = None,
    group: GroupOption = None,
    study: StudyOption = None,
    evaluation: EvaluationOption = None,
    url: UrlOption = None,
) -> None:
    """Let paused or stopped runs go on from their newest checkpoint.

    Example: `phylon resume 3 --replicate 0`
    """
    verb = Verb(Client.resume_run, Client.resume, Client.resume_group, Client.resume_study, Client.resume_evaluation)
    _act(verb, experiments, replicate, group, study, evaluation, url)


def retry(
    experiments: ExperimentsArgument = None,
    replicate: ReplicateOption = None,
    group: GroupOption = None,
    study: StudyOption = None,
    evaluation: EvaluationOption = None,
    url: UrlOption = None,
) -> None:
    """Let failed runs go on from their newest checkpoint, with all their attempts.

    Example: `phylon retry --group 2`
    """
    verb = Verb(Client.retry_run, Client.retry, Client.retry_group, Client.retry_study, Client.retry_evaluation)
    _act(verb, experiments, replicate, group, study, evaluation, url)


def extend(
    set_: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="A limit of the budget, e.g. --set budget.env_steps=2000000; null removes one. May be given several "
            "times.",
        ),
    ],
    experiments: ExperimentsArgument = None,
    replicate: ReplicateOption = None,
    group: GroupOption = None,
    url: UrlOption = None,
) -> None:
    """Let finished or stopped runs go on to a larger budget. Their results so far stay those of their attempts.

    Example: `phylon extend 3 --set budget.env_steps=2000000`
    """
    changes: dict[str, Any] = {}
    for override in set_:
        set_field(changes, override)
    if changes.keys() != {"budget"} or not isinstance(changes["budget"], dict):
        raise BadInput("extend changes the budget alone, e.g. --set budget.env_steps=2000000")
    verb = Verb(Client.extend_run, Client.extend, Client.extend_group)
    _act(verb, experiments, replicate, group, None, None, url, changes["budget"])


def _act(
    verb: Verb,
    experiments: list[int] | None,
    replicate: int | None,
    group: int | None,
    study: int | None,
    evaluation: int | None,
    url: str | None,
    *arguments: Any,
) -> None:
    if bool(experiments) + sum(number is not None for number in (group, study, evaluation)) != 1:
        or_other = ", or --study or --evaluation with that of one" if verb.of_study else ""
        raise BadInput(f"give the numbers of experiments, or --group with the number of a group{or_other}")
    if not experiments and replicate is not None:
        raise BadInput("--replicate is for experiments; all else is changed as a whole")
    with Client(url) as client:
        if study is not None and verb.of_study is not None:
            measured = verb.of_study(client, study)
            now = "about to pause" if measured.is_pausing else measured.status
            say(f"study [bold]{measured.id}[/] ({escape(measured.name)}) is {now}")
        if evaluation is not None and verb.of_evaluation is not None:
            played = verb.of_evaluation(client, evaluation)
            now = "about to pause" if played.is_pausing else played.status
            say(f"evaluation [bold]{played.id}[/] ({escape(played.name)}) is {now}")
        if group is not None:
            changed = verb.of_group(client, group, *arguments)
            counted = ", ".join(f"{count} {status}" for status, count in changed.counts.items())
            say(f"group [bold]{changed.id}[/] ({escape(changed.name)}): {counted}")
        for number in experiments or []:
            if replicate is None:
                _say_runs(number, verb.of_experiment(client, number, *arguments).runs)
            else:
                run = choose_run(client.experiment(number), replicate)
                _say_runs(number, [verb.of_run(client, run.id, *arguments)])


def _say_runs(experiment: int, runs: list[Run]) -> None:
    said = (f"run {run.id} is {'about to pause' if run.is_pausing else run.status}" for run in runs)
    say(f"experiment [bold]{experiment}[/]: " + ", ".join(said))


def attempts(
    experiment: ExperimentArgument,
    replicate: Annotated[int, typer.Option(help="Which of the experiment's runs.")] = 0,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the attempts at a run: who had it, from which checkpoint to which step, and how it ended.

    Example: `phylon attempts 3 --json`
    """
    with Client(url) as client:
        found = client.attempts(choose_run(client.experiment(experiment), replicate).id)
    if json:
        print_json([attempt.model_dump(mode="json") for attempt in found])
        return
    columns = ["attempt", "worker", "began", "ended", "how", "from", "to", "checkpoint", "final", "detail"]
    print_table(columns, map(_row, found), right=["attempt", "from", "to", "final"])


def _row(attempt: Attempt) -> list[str]:
    return [
        str(attempt.number),
        attempt.worker_name,
        f"{attempt.began_at:%Y-%m-%d %H:%M:%S}",
        f"{attempt.ended_at:%Y-%m-%d %H:%M:%S}" if attempt.ended_at else "-",
        attempt.end or "goes on",
        "-" if attempt.from_step is None else f"{attempt.from_step:,}",
        "-" if attempt.to_step is None else f"{attempt.to_step:,}",
        attempt.checkpoint or "-",
        final_return(attempt.final),
        (attempt.detail or "-").splitlines()[0],
    ]
