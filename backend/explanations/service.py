"""Reads what an explanation rests on: lineage, evaluations with their errors, and the rule of selection."""

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.comparisons import arms
from phylon.backend.lineage import service as lineage
from phylon.backend.metrics import history
from phylon.backend.runs import repository as runs
from phylon.contract.explanations import Explanation
from phylon.explain.explanation import METRICS, ExplainedRun, donors_of, explain
from phylon.series import Series
from phylon.spec import parse_accepted


def explain_run(session: Session, viewer: Viewer, run_id: int) -> Explanation:
    return explain([_read(session, viewer, run_id)])


def explain_arms(
    session: Session, viewer: Viewer, experiments: list[int], groups: list[int], task: str | None
) -> Explanation:
    """All runs of all of them together. Progress is relative to a run's own population, so tasks may differ."""
    subjects = arms.only(arms.choose(session, viewer, experiments, groups), task)
    found = {run.id for subject in subjects for experiment in subject.tasks.values() for run in experiment.runs}
    return explain([_read(session, viewer, run_id) for run_id in sorted(found)])


def _read(session: Session, viewer: Viewer, run_id: int) -> ExplainedRun:
    run = runs.get_with_experiment(session, viewer, run_id)
    series = {name: _series(session, run_id, name) for name in METRICS}
    return ExplainedRun(
        id=run_id,
        lineage=lineage.read(session, viewer, run_id),
        series={name: each for name, each in series.items() if len(each.steps)},
        donors=donors_of(parse_accepted(run.experiment.spec)),
    )


def _series(session: Session, run_id: int, name: str) -> Series:
    page = history.whole(session, run_id, name)
    return Series(page.steps, page.walls, page.values.astype(np.float64))
