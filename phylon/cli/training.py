"""`phylon train`: a population in the foreground, without a service. Everything it finds is written to a directory."""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from phylon.child_process import ChildProcess
from phylon.cli.children import Interrupts, describe_crash, start_child
from phylon.cli.console import complain, err, final_return, number, print_table, say
from phylon.cli.exits import FAILED, INTERRUPTED, BadInput, WorkFailed
from phylon.cli.extras import require_worker
from phylon.cli.progress import (
    END_REASONS,
    RunState,
    View,
    describe_divergence,
    describe_interruption,
    describe_interruptions,
    make_view,
)
from phylon.cli.spec_argument import SetOption, SpecArgument, load_spec
from phylon.contract.events import OUTCOMES, Diverged, Failed, FinalReturn, Finished, Interrupted, Started, Stopped
from phylon.launch import Launch, LaunchInvalid, find_launch
from phylon.policy.names import ARCHIVE
from phylon.run_directory import (
    CHECKPOINTS,
    RUN_FILE,
    START_FILE,
    VIDEOS,
    RunDirectoryRefused,
    RunRequest,
    open_run,
)
from phylon.spec import ExperimentSpec, Group, replicate_seed, spec_to_json, tuned
from phylon.spec.algorithms import names_of
from phylon.spool import SPOOL_FILE, SpoolReader

if TYPE_CHECKING:
    from phylon.loggers.following import Following
    from phylon.loggers.logger import Logger

LOG_FILE = "trainer.log"
LOGGERS = "tensorboard, wandb, mlflow"
"""Ours, in words."""
POLL_SECONDS = 0.2


def train(
    spec: SpecArgument,
    out_: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where everything is written. Default: runs/NAME-OF-SPEC."),
    ] = None,
    set_: SetOption = None,
    log: Annotated[
        list[str] | None,
        typer.Option("--log", metavar="LOGGER", help=f"Also record it live: {LOGGERS}, or a plug-in's. Repeatable."),
    ] = None,
) -> None:
    """Train a population here and now, without a service.

    Shows the return of the best and of the median member while it goes. Ctrl-C stops with a checkpoint (unless the spec
    says `checkpoint.resume: exact`); the same command takes the run up again. Several replicates, and the experiments
    of a group, are trained one after the other. With --log, other programs show it while it goes; a resumed run goes on
    with the same record.

    Several processes that mpiexec or srun starts train one population together, each a block of its members, in a
    directory that all of them see.

    Example: `phylon train td3-pbt-pendulum-smoke --out runs/first --set population.size=4`
    """
    require_worker()
    document = load_spec(spec, set_)
    try:
        launch = find_launch(os.environ)
    except LaunchInvalid as error:
        raise BadInput(str(error)) from None
    chosen = _find_loggers(log or []) if launch is None or launch.is_first else []
    if isinstance(document, Group):
        _train_group(document, out_ or Path("runs") / document.spec.name, chosen, launch)
    else:
        _train_experiment(document, out_ or Path("runs") / document.name, chosen, launch)


def _find_loggers(names: list[str]) -> "list[Logger]":
    if not names:
        return []
    from phylon.loggers import loggers  # here, because it loads numpy

    known = loggers()
    for name in names:
        if name not in known:
            raise BadInput(f"there is no logger '{name}'; choose one of {', '.join(known)}, or install its plug-in")
    return [known[name] for name in dict.fromkeys(names)]


def _train_group(group: Group, folder: Path, chosen: "list[Logger]", launch: Launch | None) -> None:
    """One that fails does not keep the others from being trained. In the end they are drawn beside each other."""
    from phylon.cli import figures  # here, because it loads Matplotlib

    failed: list[str] = []
    for place, (suffix, experiment) in enumerate(group.experiments.items(), start=1):
        err.print(f"{place} of {len(group.experiments)}: {experiment.name}", markup=False, highlight=False)
        try:
            _train_experiment(experiment, folder / suffix, chosen, launch)
        except WorkFailed as error:
            complain(str(error))
            failed.append(suffix)
        except typer.Exit as ended:
            if ended.exit_code != FAILED:
                raise
            failed.append(suffix)
    drawn = figures.draw(group, folder) if launch is None or launch.is_first else []
    if drawn:
        say(escape(f"{folder}/: {', '.join(drawn)}"))
    if failed:
        raise WorkFailed(
            f"{len(failed)} of {len(group.experiments)} experiments failed: {', '.join(failed)}; see above"
        )


def _train_experiment(experiment: ExperimentSpec, folder: Path, chosen: "list[Logger]", launch: Launch | None) -> None:
    replicates = range(experiment.replicates)
    for replicate in replicates:
        place = folder / f"replicate-{replicate}" if len(replicates) > 1 else folder
        label = f"replicate {replicate}" if len(replicates) > 1 else experiment.name
        if launch and not launch.is_first:
            _train_along(place, launch)
        else:
            _train_one(label, experiment, place, replicate_seed(experiment, replicate), chosen, launch)


def _train_along(folder: Path, launch: Launch) -> None:
    """As one of several processes, of which the first says what is trained, and reports."""
    if isinstance(_outcome(folder), Finished):
        return
    folder.mkdir(parents=True, exist_ok=True)
    log = log_file(launch)
    with start_child("phylon.worker.training", folder, log, launch.variables()) as trainer, Interrupts(trainer):
        while trainer.exit_code is None:
            time.sleep(POLL_SECONDS)
    if trainer.exit_code not in (0, FAILED):
        raise WorkFailed(describe_crash(f"trainer of process {launch.rank}", trainer, folder / log))


def log_file(launch: Launch | None) -> str:
    """Of several processes each has its own."""
    return LOG_FILE if launch is None or launch.is_first else f"trainer-{launch.rank}.log"


def _train_one(
    label: str, spec: ExperimentSpec, folder: Path, seed: int, chosen: "list[Logger]", launch: Launch | None
) -> None:
    start = _gather_start(spec, folder)
    try:
        is_resumed = open_run(folder, RunRequest(run_id=None, seed=seed, spec=spec_to_json(spec)))
    except RunDirectoryRefused as error:
        raise BadInput(f"{error}; choose another directory with --out") from None
    if start is not None:
        from phylon.start.material import write_start

        write_start(folder, start)
    outcome = _outcome(folder)
    interrupted = False
    if isinstance(outcome, Finished):
        err.print(f"{folder} already holds this run, finished", soft_wrap=True, markup=False)
    else:
        with (
            _follow_for(chosen, spec, folder, seed) as following,
            make_view() as view,
            start_child("phylon.worker.training", folder, LOG_FILE, launch.variables() if launch else {}) as trainer,
            Interrupts(trainer) as interrupts,
        ):
            if is_resumed:
                view.note(f"resuming the run in {folder}")
            for record in following.records.values() if following else ():
                view.note(f"watch it with: {record.watch}")
            _follow(label, spec, folder, trainer, interrupts, view, following)
        interrupted = interrupts.count > 0
        outcome = _outcome(folder)
        if outcome is None and not interrupted:
            raise WorkFailed(describe_crash("trainer", trainer, folder / LOG_FILE))
    from phylon.cli import findings  # here, because it loads numpy, which the trainer need not wait for

    files = findings.write(findings.of_folder(folder), folder, ["csv"])
    if isinstance(outcome, Failed):
        _report_failure(outcome)
        raise typer.Exit(FAILED)
    _report(spec, folder, files, outcome)
    if interrupted and not isinstance(outcome, Finished):
        raise typer.Exit(INTERRUPTED)


def _gather_start(spec: ExperimentSpec, folder: Path) -> bytes | None:
    """What its founders begin with; None where they are drawn, or where the folder has it already: whatever becomes of
    its source, a run is taken up with what it began with."""
    if not spec.population.start or (folder / START_FILE).exists():
        return None
    from phylon.start import material, paths  # here, because they load numpy

    try:
        return material.to_bytes(paths.gather(spec.population.start))
    except material.StartInvalid as error:
        raise BadInput(f"population.start: {error}") from None


@contextmanager
def _follow_for(chosen: "list[Logger]", spec: ExperimentSpec, folder: Path, seed: int) -> "Generator[Following | None]":
    """Opened before the trainer starts, closed after it has ended."""
    if not chosen:
        yield None
        return
    from phylon.loggers.following import Following
    from phylon.loggers.logger import LoggedRun, LoggerUnavailable

    began = (folder / RUN_FILE).stat().st_mtime
    run = LoggedRun(spec.name, folder, spec.population.size, spec_to_json(spec), seed, began)
    try:
        following = Following(run, chosen)
    except LoggerUnavailable as error:
        raise BadInput(str(error)) from None
    try:
        yield following
    finally:
        following.close()


def _follow(
    label: str,
    spec: ExperimentSpec,
    folder: Path,
    trainer: ChildProcess,
    interrupts: Interrupts,
    view: View,
    following: "Following | None",
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
            if isinstance(event, Interrupted):
                view.note(f"{label} {describe_interruption(event)}")
            if isinstance(event, Diverged):
                view.note(f"{label}: {describe_divergence(event)}; it is set aside")
            view.show(label, state, "training", evaluated)
        if following:
            following.catch_up()
        if interrupts.count and not is_interrupt_shown:
            is_interrupt_shown = True
            keeps = "with a checkpoint" if spec.checkpoint.resume == "latest" else "to go on from its last checkpoint"
            view.note(f"stopping at the next segment, {keeps}; Ctrl-C again kills the trainer")
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
    why = END_REASONS.get(outcome.reason, "") if isinstance(outcome, Finished) else ""
    say(f"[bold]{escape(spec.name)}[/] {ending} at step {state.step:,} of {state.total_steps:,}{why}")
    if state.interrupted_at:
        say(describe_interruptions(state.interrupted_at))
    if state.diverged:
        say(f"diverged and set aside: member {', '.join(map(str, sorted(state.diverged)))}")
    final = outcome.final if isinstance(outcome, Finished) else None
    member = final.member if final else state.best_member
    if member is not None:
        last = [("return", number(state.best)), ("median return", number(state.median))]
        rows = [("best member", str(member)), *(_final_rows(final) if final else last)]
        rows.append(("best during training", number(state.best_ever)))
        span = state.spans.get(member)
        names = tuned(spec.algorithm)
        values = span.hyperparams.items() if span else ()
        rows += [(name, _said(spec, name, value)) for name, value in values if name in names]
        heading = f"in {final.episodes} episodes that no selection saw" if final else "at the last evaluation"
        print_table([heading, ""], rows, right=[""])
    folders = [f"{name}/" for name in (CHECKPOINTS, VIDEOS) if (folder / name).exists()]
    policies = [ARCHIVE] if (folder / ARCHIVE).exists() else []
    say(escape(f"{folder}/: {', '.join([*files, SPOOL_FILE, *folders, *policies, LOG_FILE])}"))


def _final_rows(final: FinalReturn) -> list[tuple[str, str]]:
    return [
        ("final return (95 %)", final_return(final)),
        ("its last return in training", number(final.last_return)),
        ("difference (selection bias)", number(final.selection_bias)),
    ]


def _said(spec: ExperimentSpec, name: str, value: float) -> str:
    names = names_of(type(spec.algorithm), name)
    return names[round(value)] if names else f"{value:.4g}"


def _report_failure(failed: Failed) -> None:
    member = "" if failed.member is None else f", member {failed.member}"
    complain(f"the run failed at step {failed.step}{member}: {failed.message}")
    for name, value in (failed.hyperparams or {}).items():
        err.print(f"  {name} = {value:.6g}", highlight=False)
    err.print(f"  → {failed.remedy}", markup=False, highlight=False, soft_wrap=True)
