"""Commands that change how work goes on: stop, pause, resume, retry, extend; and attempts, their history."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from phylon.cli.console import final_return, print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import ExperimentArgument, UrlOption
from phylon.cli.language import JsonOption
from phylon.cli.runs import choose_run
from phylon.cli.spec_argument import set_field
from phylon.client import Client
from phylon.contract.experiments import Experiment
from phylon.contract.groups import ExperimentGroup
from phylon.contract.payloads import PayloadSummary
from phylon.contract.runs import Attempt, Run

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
CheckOption = Annotated[int | None, typer.Option(help="The check of an environment with this number.")]


Verb = Literal["stop", "pause", "resume", "retry", "extend"]


def _command(verb: Verb, help: str) -> Callable[..., None]:
    def command(
        experiments: ExperimentsArgument = None,
        replicate: ReplicateOption = None,
        group: GroupOption = None,
        study: StudyOption = None,
        evaluation: EvaluationOption = None,
        environment_check: CheckOption = None,
        url: UrlOption = None,
    ) -> None:
        others = {"study": study, "evaluation": evaluation, "environment_check": environment_check}
        _act(verb, experiments, replicate, group, others, url)

    command.__doc__ = help
    return command


stop = _command(
    "stop",
    """Let runs end at their next segment border, each with a checkpoint; what waits leaves the queue.

    Example: `phylon stop 3`
    """,
)
pause = _command(
    "pause",
    """Let runs keep their checkpoint, leave their worker at the next segment border, and wait.

    Example: `phylon pause 3 4`
    """,
)
resume = _command(
    "resume",
    """Let paused or stopped runs go on from their newest checkpoint.

    Example: `phylon resume 3 --replicate 0`
    """,
)
retry = _command(
    "retry",
    """Let failed runs go on from their newest checkpoint, with all their attempts.

    Example: `phylon retry --group 2`
    """,
)


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
    _act("extend", experiments, replicate, group, {}, url, changes["budget"])


def _act(
    verb: Verb,
    experiments: list[int] | None,
    replicate: int | None,
    group: int | None,
    others: Mapping[str, int | None],
    url: str | None,
    *arguments: Any,
) -> None:
    """`others`: what jobs do beside training, by kind. The client has a method for each verb and kind."""
    if bool(experiments) + sum(number is not None for number in (group, *others.values())) != 1:
        or_other = ", or --study, --evaluation or --environment-check with that of one" if others else ""
        raise BadInput(f"give the numbers of experiments, or --group with the number of a group{or_other}")
    if not experiments and replicate is not None:
        raise BadInput("--replicate is for experiments; all else is changed as a whole")
    with Client(url) as client:
        for kind, number in others.items():
            if number is not None:
                payload: PayloadSummary = getattr(client, f"{verb}_{kind}")(number)
                now = "about to pause" if payload.is_pausing else payload.status
                say(f"{kind.replace('_', ' ')} [bold]{payload.id}[/] ({escape(payload.name)}) is {now}")
        if group is not None:
            changed: ExperimentGroup = getattr(client, f"{verb}_group")(group, *arguments)
            counted = ", ".join(f"{count} {status}" for status, count in changed.counts.items())
            say(f"group [bold]{changed.id}[/] ({escape(changed.name)}): {counted}")
        for number in experiments or []:
            if replicate is None:
                whole: Experiment = getattr(client, verb)(number, *arguments)
                _say_runs(number, whole.runs)
            else:
                run = choose_run(client.experiment(number), replicate)
                _say_runs(number, [getattr(client, f"{verb}_run")(run.id, *arguments)])


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
