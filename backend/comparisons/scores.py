"""The samples of experiments: what counts once, and how much it earned."""

from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.metrics import repository as metrics
from phylon.backend.metrics.frames import unpack
from phylon.backend.models import Experiment, Run
from phylon.contract.comparisons import ScoreSource
from phylon.registry import methods
from phylon.returns import FINAL_RETURN, RETURN, best_of
from phylon.statistics import Scores


class Sample(NamedTuple):
    run: Run
    member: int | None
    """Where each member is a sample of its own."""
    value: float
    """NaN where it diverged."""
    source: ScoreSource


def read_samples(session: Session, experiments: list[Experiment]) -> dict[int, list[Sample]]:
    """Of each experiment by its number. A run that was never evaluated has none."""
    run_ids = [run.id for experiment in experiments for run in experiment.runs]
    last, final = (_newest_returns(session, run_ids, name) for name in (RETURN, FINAL_RETURN))
    return {
        experiment.id: [
            sample
            for run in experiment.runs
            for sample in _samples(run, experiment.method, last.get(run.id), final.get(run.id))
        ]
        for experiment in experiments
    }


def _samples(run: Run, method: str, last: Scores | None, final: Scores | None) -> list[Sample]:
    if is_sample_per_member(method):
        found, source = (last, ScoreSource.LAST) if final is None else (final, ScoreSource.FINAL)
        return [Sample(run, member, value, source) for member, value in enumerate([] if found is None else found)]
    if run.final is not None:  # members that copy each other are one sample: the winner
        return [Sample(run, None, float(run.final["mean"]), ScoreSource.FINAL)]
    return [] if last is None else [Sample(run, None, best_of(last), ScoreSource.LAST)]


def finite(samples: list[Sample]) -> Scores:
    return np.array([sample.value for sample in samples if np.isfinite(sample.value)], np.float64)


def is_sample_per_member(method: str) -> bool:
    """A method that is no longer installed may have copied members."""
    return method in methods() and methods()[method].is_sample_per_member


def _newest_returns(session: Session, run_ids: list[int], name: str) -> dict[int, Scores]:
    """Of the members of each run that has any, at the newest tick of that metric."""
    found = metrics.newest_frames(session, run_ids, name)
    return {run_id: unpack(newest).astype(np.float64) for run_id, newest in found.items()}
