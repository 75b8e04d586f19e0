"""One attempt at a run: what the functions of the training loop work with."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from phylon.spec import ExperimentSpec, segment_steps
from phylon.worker.execution import KeyWords
from phylon.worker.training.assembly import Parts
from phylon.worker.training.commands import Commands
from phylon.worker.training.journal import Journal
from phylon.worker.training.programs import Programs, make_programs
from phylon.worker.training.randomness import run_key
from phylon.worker.training.state import TrainingState
from phylon.worker.training.stopwatch import Stopwatch


class Attempt(NamedTuple):
    """Only `state` changes, and what `parts` contain: replay, environments, episode returns."""

    parts: Parts
    state: TrainingState
    run_dir: Path
    journal: Journal
    stopwatch: Stopwatch
    commands: Commands
    key: KeyWords
    segment_steps: int
    programs: Programs

    @property
    def spec(self) -> ExperimentSpec:
        return self.parts.spec

    @property
    def is_end(self) -> bool:
        return self.state.step == self.spec.budget.env_steps

    @property
    def best_member(self) -> int:
        """By fitness; a member without one is never the best."""
        return int(np.argmax(np.nan_to_num(self.state.fitness, nan=-np.inf)))

    def count_updates(self, step: int) -> int:
        """Per member until this step; it follows from the step, so nothing has to be stored."""
        experience = self.parts.experience
        if self.spec.execution.overlap:
            step -= self.segment_steps
        return max(0, step - experience.warmup) // self.segment_steps * experience.updates


def make_attempt(
    parts: Parts, state: TrainingState, run_dir: Path, journal: Journal, stopwatch: Stopwatch, commands: Commands
) -> Attempt:
    return Attempt(
        parts=parts,
        state=state,
        run_dir=run_dir,
        journal=journal,
        stopwatch=stopwatch,
        commands=commands,
        key=run_key(parts.seed),
        segment_steps=segment_steps(parts.spec),
        programs=make_programs(parts),
    )
