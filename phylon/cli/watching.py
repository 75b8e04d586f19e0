"""Follows all runs of an experiment at once: one event stream per run, folded into one view."""

import queue
import threading
from typing import NamedTuple

import typer
from rich.markup import escape

from phylon.cli.console import complain, err, final_return, number, say
from phylon.cli.exits import FAILED, INTERRUPTED
from phylon.cli.progress import (
    END_REASONS,
    RunState,
    describe_divergence,
    describe_interruption,
    describe_interruptions,
    make_view,
)
from phylon.client import Client
from phylon.contract.events import Diverged, Interrupted, RunEvent
from phylon.contract.experiments import Experiment
from phylon.contract.runs import Run
from phylon.contract.stream import Rewind


class News(NamedTuple):
    run_id: int
    said: RunEvent | Rewind | Run | Exception | None
    """`None` when the run has ended; an exception when it cannot be followed any more."""


def watch_experiment(client: Client, experiment: Experiment) -> None:
    """Until every run has ended. Exits with 1 when one failed; Ctrl-C ends the watching, not the runs."""
    news: queue.Queue[News] = queue.Queue()
    members = int(experiment.spec["population"]["size"])
    states = {run.id: RunState(total_steps=run.total_steps, members=members) for run in experiment.runs}
    notes = {run.id: str(run.status) for run in experiment.runs}
    labels = {run.id: f"run {run.id}" for run in experiment.runs}
    going = set(states)
    listening = Client(client.url)  # of the threads alone: closing it ends them
    threads = [threading.Thread(target=_listen, args=(listening, run.id, news), daemon=True) for run in experiment.runs]
    for thread in threads:
        thread.start()
    try:
        with make_view() as view:
            while going:
                run_id, said = _next(news)
                evaluated = False
                match said:
                    case Exception():
                        raise said
                    case None:
                        going.discard(run_id)
                    case Run():
                        notes[run_id] = said.status
                    case Rewind():
                        view.note(f"{labels[run_id]} resumes from its checkpoint")
                    case _:
                        evaluated = states[run_id].apply(said)
                        if isinstance(said, Interrupted):
                            view.note(f"{labels[run_id]} {describe_interruption(said)}")
                        if isinstance(said, Diverged):
                            view.note(f"{labels[run_id]}: {describe_divergence(said)}; it is set aside")
                view.show(labels[run_id], states[run_id], notes[run_id], evaluated)
    except KeyboardInterrupt:
        err.print(f"no longer watching; the experiment goes on. `phylon stop {experiment.id}` stops it", markup=False)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        listening.close()
        for thread in threads:
            thread.join()
    _conclude(client.experiment(experiment.id))


def _listen(client: Client, run_id: int, news: "queue.Queue[News]") -> None:
    try:
        for said in client.watch(run_id):
            news.put(News(run_id, said))
        news.put(News(run_id, None))
    except Exception as error:  # handed to the main thread, which knows what to do with it
        news.put(News(run_id, error))


def _next(news: "queue.Queue[News]") -> News:
    """Waits in short turns, since an endless wait would not hear Ctrl-C everywhere."""
    while True:
        try:
            return news.get(timeout=0.5)
        except queue.Empty:
            continue


def _conclude(experiment: Experiment) -> None:
    for run in experiment.runs:
        if run.error:
            complain(f"run {run.id} failed: {run.error.message} → {run.error.remedy}")
        else:
            why = END_REASONS.get(run.end_reason, "")
            result = f"last return {number(run.last_return)}"
            if run.final is not None:
                result = f"final return {final_return(run.final)} in {run.final.episodes or 'some'} unseen episodes"
            best = f"best during training {number(run.best_return)}"
            say(f"run {run.id} of {escape(experiment.name)} {run.status}{why}; {result}, {best}")
        if run.interruptions:
            say(f"run {run.id}: {describe_interruptions([each.step for each in run.interruptions])}")
        if run.diverged_members:
            say(f"run {run.id}: diverged and set aside: member {', '.join(map(str, run.diverged_members))}")
    if any(run.status == "failed" for run in experiment.runs):
        raise typer.Exit(FAILED)
