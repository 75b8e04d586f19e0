"""How a run stands, folded from its events, and shown as a bar on a terminal or as lines elsewhere."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from phylon.cli.console import duration, err, number
from phylon.contract.events import Diverged, EndReason, Interrupted, Lineage, Metrics, RunEvent, Span

END_REASONS: dict[EndReason | None, str] = {
    "seconds": ": its time is used up",
    "target_return": ": its target return is reached",
    "plateau": ": its return no longer rises",
}
"""What is said of a run that finished before its steps were done."""


@dataclass
class RunState:
    """What is known of a run by its events so far. A resumed run reports its events after the checkpoint again."""

    total_steps: int
    members: int
    step: int = 0
    steps_per_second: float | None = None
    returns: list[float] = field(default_factory=list[float])
    """Of each member at the newest evaluation."""
    best_ever: float | None = None
    """Of any member at any evaluation so far."""
    spans: dict[int, Span] = field(default_factory=dict[int, Span])
    """The living span of each slot."""
    diverged: set[int] = field(default_factory=set[int])
    """Members that are set aside."""
    interrupted_at: list[int] = field(default_factory=list[int])
    """Steps at which it left the path of an undisturbed run."""

    def apply(self, event: RunEvent) -> bool:
        """Takes up an event. Says whether it was an evaluation."""
        self.step = event.step
        match event:
            case Lineage():
                self.spans |= {span.slot: span for span in event.spans}
                self.diverged -= {span.slot for span in event.spans}
            case Diverged():
                self.diverged.add(event.member)
            case Interrupted():
                self.interrupted_at.append(event.step)
            case Metrics():
                speed = event.frames.get("speed/env_steps_per_second")
                if speed:
                    self.steps_per_second = speed[0]
                if "evaluation/return" in event.frames:
                    self.returns = event.frames["evaluation/return"]
                    known = (value for value in (self.best_ever, self.best) if value is not None)
                    self.best_ever = max(known, default=None)
                    return True
            case _:
                pass
        return False

    @property
    def best_member(self) -> int | None:
        finite = [slot for slot, value in enumerate(self.returns) if math.isfinite(value)]
        return max(finite, key=lambda slot: self.returns[slot]) if finite else None

    @property
    def best(self) -> float | None:
        return None if self.best_member is None else self.returns[self.best_member]

    @property
    def median(self) -> float | None:
        finite = [value for value in self.returns if math.isfinite(value)]
        return statistics.median(finite) if finite else None

    @property
    def seconds_left(self) -> float | None:
        if not self.steps_per_second or not math.isfinite(self.steps_per_second):
            return None
        return (self.total_steps - self.step) * self.members / self.steps_per_second


def describe_interruption(event: Interrupted) -> str:
    how = "was stopped" if event.reason == "stopped" else "was handed back by its worker"
    return (
        f"goes on at step {event.step:,}, where it {how}. Environments restarted there: from here on numbers are not "
        "those of an undisturbed run (checkpoint.resume: exact makes them equal)"
    )


def describe_divergence(event: Diverged) -> str:
    values = ", ".join(f"{name} {value:.3g}" for name, value in event.hyperparams.items())
    return f"member {event.member} diverged before step {event.step:,}: {event.metric} {event.value}, with {values}"


def describe_interruptions(steps: Sequence[int]) -> str:
    listed = ", ".join(f"{step:,}" for step in steps)
    return f"interrupted at step {listed}; from there on numbers are not those of an undisturbed run"


class View(Protocol):
    """Shows one or several runs, each under a label, while they go on."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    def show(self, label: str, state: RunState, note: str, evaluated: bool) -> None: ...
    def note(self, text: str) -> None: ...


def make_view() -> View:
    return Bars() if err.is_terminal else Lines()


class Bars:
    """One bar a run, drawn again and again in place."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("[bold]{task.description}", table_column=Column(no_wrap=True, max_width=14)),
            BarColumn(bar_width=None, table_column=Column(ratio=1, min_width=5)),
            TextColumn("{task.percentage:>3.0f}%", table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[text]}", table_column=Column(no_wrap=True)),
            console=err,
            expand=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, label: str, state: RunState, note: str, evaluated: bool) -> None:
        if label not in self._tasks:
            self._tasks[label] = self._progress.add_task(label, total=state.total_steps, text="")
        text = note
        if state.returns:
            text = (
                f"best {number(state.best)} · median {number(state.median)} · {number(state.steps_per_second)} steps/s"
                f" · {duration(state.seconds_left)} left"
            )
        self._progress.update(self._tasks[label], completed=state.step, text=text)

    def note(self, text: str) -> None:
        err.print(text, soft_wrap=True, markup=False, highlight=False)


class Lines:
    """One line at each evaluation and at each new note: fit for a log file."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        pass

    def show(self, label: str, state: RunState, note: str, evaluated: bool) -> None:
        if evaluated:
            self.note(
                f"{label} {state.step}/{state.total_steps} steps · return best {number(state.best)}, "
                f"median {number(state.median)} · {number(state.steps_per_second)} member-steps/s · "
                f"{duration(state.seconds_left)} left"
            )
        elif self._notes.get(label) != note:
            self._notes[label] = note
            self.note(f"{label} {note}")

    def note(self, text: str) -> None:
        err.print(text, soft_wrap=True, markup=False, highlight=False)
