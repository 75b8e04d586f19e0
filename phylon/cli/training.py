"""`phylon train`: a population in the foreground, without a service. Everything it finds is written to a directory."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from phylon.child_process import ChildProcess
from phylon.cli.children import Interrupts, describe_crash, start_child
from phylon.cli.console import complain, err, number, print_table, say
from phylon.cli.exits import FAILED, INTERRUPTED, BadInput, WorkFailed
from phylon.cli.extras import require_worker
from phylon.cli.progress import RunState, View, make_view
from phylon.cli.spec_argument import SetOption, SpecArgument, load_spec
from phylon.contract.events import OUTCOMES, Failed, Finished, Started, Stopped
from phylon.run_directory import CHECKPOINTS, VIDEOS, RunDirectoryRefused, RunRequest, open_run
from phylon.spec import ExperimentSpec, Group, replicate_seed, spec_to_json, tuned
from phylon.spec.algorithms import names_of
from phylon.spool import SPOOL_FILE, SpoolReader

LOG_FILE = "trainer.log"
POLL_SECONDS = 0.2


def train(
    spec: SpecArgument,
    out_: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where everything is written. Default: runs/NAME-OF-SPEC."),
    ] = None,
    set_: SetOption = None,
) -> None:
    """Train a population here and now, without a service.

    Shows the return of the best and of the median member while it goes. Ctrl-C stops with a checkpoint; the same
    command takes the run up again. Several replicates, and the experiments of a group, are trained one after the other.

    Example: `phylon train td3-pbt-pendulum-smoke --out runs/first --set population.size=4`
    """
    require_worker()
    document = load_spec(spec, set_)
    if isinstance(document, Group):
        _train_group(document, out_ or Path("runs") / document.spec.name)
    else:
        _train_experiment(document, out_ or Path("runs") / document.name)


def _train_group(group: Group, folder: Path) -> None:
    """One that fails does not keep the others from being trained. In the end they are drawn beside each other."""
    from phylon.cli import figures  # here, because it loads Matplotlib

    failed: list[str] = []
    for place, (suffix, experiment) in enumerate(group.experiments.items(), start=1):
        err.print(f"{place} of {len(group.experiments)}: {experiment.name}", markup=False, highlight=False)
        try:
            _train_experiment(experiment, folder / suffix)
        except WorkFailed as error:
            complain(str(error))
            failed.append(suffix)
        except typer.Exit as ended:
            if ended.exit_code != FAILED:
                raise
            failed.append(suffix)
    drawn = figures.draw(group, folder)
    if drawn:
        say(escape(f"{folder}/: {', '.join(drawn)}"))
    if failed:
        raise WorkFailed(
            f"{len(failed)} of {len(group.experiments)} experiments failed: {', '.join(failed)}; see above"
        )


def _train_experiment(experiment: ExperimentSpec, folder: Path) -> None:
    replicates = range(experiment.replicates)
    for replicate in replicates:
        place = folder / f"replicate-{replicate}" if len(replicates) > 1 else folder
        label = f"replicate {replicate}" if len(replicates) > 1 else experiment.name
        _train_one(label, experiment, place, replicate_seed(experiment, replicate))


def _train_one(label: str, spec: ExperimentSpec, folder: Path, seed: int) -> None:
    from phylon.cli import findings  # here, because it loads numpy, which other commands need not wait for

    try:
        is_resumed = open_run(folder, RunRequest(run_id=None, seed=seed, spec=spec_to_json(spec)))
    except RunDirectoryRefused as error:
        raise BadInput(f"{error}; choose another directory with --out") from None
    outcome = _outcome(folder)
    interrupted = False
    if isinstance(outcome, Finished):
        err.print(f"{folder} already holds this run, finished", soft_wrap=True, markup=False)
    else:
        with (
            make_view() as view,
            start_child("phylon.worker.training", folder, LOG_FILE) as trainer,
            Interrupts(trainer) as interrupts,
        ):
            if is_resumed:
                view.note(f"resuming the run in {folder}")
            _follow(label, spec, folder, trainer, interrupts, view)
        interrupted = interrupts.count > 0
        outcome = _outcome(folder)
        if outcome is None and not interrupted:
            raise WorkFailed(describe_crash("trainer", trainer, folder / LOG_FILE))
    files = findings.write(findings.of_folder(folder), folder, ["csv"])
    if isinstance(outcome, Failed):
        _report_failure(outcome)
        raise typer.Exit(FAILED)
    _report(spec, folder, files, outcome)
    if interrupted and not isinstance(outcome, Finished):
        raise typer.Exit(INTERRUPTED)


def _follow(
    label: str, spec: ExperimentSpec, folder: Path, trainer: ChildProcess, interrupts: Interrupts, view: View
) -> None:
    reader = SpoolReader(folder / SPOOL_FILE)
    state = RunState(total_steps=spec.budget.env_steps, members=spec.population.size)
    is_interrupt_shown = False
    view.show(label, state, "starting", evaluated=False)
    ended = False
    while not ended:
        ended = trainer.exit_code is not None  # asked before the last read, so that nothing written is missed
        for event in reader.read():
            evaluated = state.apply(event)
            if isinstance(event, Started):
                view.note(f"{label}: {event.strategy} on {', '.join(event.devices)}. {event.explanation}")
            view.show(label, state, "training", evaluated)
        if interrupts.count and not is_interrupt_shown:
            is_interrupt_shown = True
            view.note("stopping at the next segment, with a checkpoint; Ctrl-C again kills the trainer")
        if not ended:
            time.sleep(POLL_SECONDS)


def _outcome(folder: Path) -> Finished | Stopped | Failed | None:
    events = SpoolReader(folder / SPOOL_FILE).read()
    last = events[-1] if events else None
    return last if isinstance(last, OUTCOMES) else None


def _report(spec: ExperimentSpec, folder: Path, files: list[str], outcome: Finished | Stopped | None) -> None:
    state = RunState(total_steps=spec.budget.env_steps, members=spec.population.size)
    for event in SpoolReader(folder / SPOOL_FILE).read():
        state.apply(event)
    ending = outcome.kind if outcome else "killed"
    say(f"[bold]{escape(spec.name)}[/] {ending} at step {state.step:,} of {state.total_steps:,}")
    member = state.best_member
    if member is not None:
        rows = [("best member", str(member)), ("return", number(state.best)), ("median return", number(state.median))]
        span = state.spans.get(member)
        names = tuned(spec.algorithm)
        values = span.hyperparams.items() if span else ()
        rows += [(name, _said(spec, name, value)) for name, value in values if name in names]
        print_table(["at the last evaluation", ""], rows, right=[""])
    folders = [f"{name}/" for name in (CHECKPOINTS, VIDEOS) if (folder / name).exists()]
    say(escape(f"{folder}/: {', '.join([*files, SPOOL_FILE, *folders, LOG_FILE])}"))


def _said(spec: ExperimentSpec, name: str, value: float) -> str:
    names = names_of(type(spec.algorithm), name)
    return names[round(value)] if names else f"{value:.4g}"


def _report_failure(failed: Failed) -> None:
    member = "" if failed.member is None else f", member {failed.member}"
    complain(f"the run failed at step {failed.step}{member}: {failed.message}")
    for name, value in (failed.hyperparams or {}).items():
        err.print(f"  {name} = {value:.6g}", highlight=False)
    err.print(f"  → {failed.remedy}", markup=False, highlight=False, soft_wrap=True)
