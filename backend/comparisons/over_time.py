"""Arms over time: their curves, how soon they reach a return, and where their seconds went."""

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.comparisons.arms import Subject
from phylon.backend.comparisons.curves import (
    ReplicateCurve,
    grid_of,
    on_axis,
    on_grid,
    positions,
    read_total,
    replicate_curves,
    value_in_words,
)
from phylon.backend.comparisons.measured import budget_of
from phylon.backend.comparisons.service import STATISTICS, Chosen, Question, choose, numbers
from phylon.backend.models import Run
from phylon.contract.comparisons import (
    ArmCurve,
    ArmTimes,
    ComparedBudgets,
    ComparedCurves,
    CurveAxis,
    Reaching,
    RunCurve,
)
from phylon.contract.vocabulary import Phase
from phylon.statistics import estimate_band, first_reached, seed_of, summarise_reached


def compare_curves(session: Session, viewer: Viewer, question: Question, single_runs: bool) -> ComparedCurves:
    chosen = choose(session, viewer, question)
    note = None
    if not chosen.tasks:
        note = "The arms have no environment in common: choose one."
    elif not chosen.comparable:
        note = "The tasks pay on different scales, so there is no curve over all of them: choose one."
    experiments = [experiment for subject in chosen.subjects for experiment in subject.on(chosen.tasks)]
    return ComparedCurves(
        metric=question.metric,
        axis=question.axis,
        statistic=chosen.statistic,
        target=question.target,
        of=value_in_words(experiments, question.metric),
        tasks=chosen.tasks,
        note=note,
        arms=[] if note else [_curve(session, subject, chosen, question, single_runs) for subject in chosen.subjects],
    )


def _curve(session: Session, subject: Subject, chosen: Chosen, question: Question, single_runs: bool) -> ArmCurve:
    by_task = {task: replicate_curves(session, subject.tasks[task], question.metric) for task in chosen.tasks}
    placed = {
        task: [
            (curve, positions(curve, question.axis, subject.tasks[task]))
            for curve in on_axis(curves, question.axis, subject.tasks[task])
        ]
        for task, curves in by_task.items()
    }
    target = question.target
    reaching = {
        axis: None if target is None else _reaching(subject, by_task, axis, target, question)
        for axis in (CurveAxis.STEPS, CurveAxis.WALL)
    }
    empty = ArmCurve(
        arm=subject.key,
        x=[],
        value=[],
        low=[],
        high=[],
        replicates=[],
        runs=[],
        steps_to_target=reaching[CurveAxis.STEPS],
        seconds_to_target=reaching[CurveAxis.WALL],
    )
    if not all(placed.values()):
        return empty
    grid = grid_of([place for each in placed.values() for _, place in each])
    matrices = [
        np.array([on_grid(grid, place, curve.values) for curve, place in placed[task]]) for task in chosen.tasks
    ]
    seed = seed_of(subject.key, chosen.tasks, question.metric, question.axis.value, chosen.statistic.value)
    band = estimate_band(matrices, STATISTICS[chosen.statistic], seed)
    runs = [
        RunCurve(run_id=curve.run.id, member=curve.member, task=task, x=place.tolist(), y=curve.values.tolist())
        for task, each in placed.items()
        for curve, place in each
        if single_runs
    ]
    return empty.model_copy(
        update={
            "x": grid.tolist(),
            "value": numbers(band.value),
            "low": numbers(band.low),
            "high": numbers(band.high),
            "replicates": band.replicates.astype(int).tolist(),
            "runs": runs,
        }
    )


def _reaching(
    subject: Subject, by_task: dict[str, list[ReplicateCurve]], axis: CurveAxis, target: float, question: Question
) -> Reaching:
    """Runs that were never evaluated have not reached it either, but are nobody's fault: they are not counted."""
    firsts = [
        first_reached(positions(curve, axis, subject.tasks[task]), curve.values, target)
        for task, curves in by_task.items()
        for curve in on_axis(curves, axis, subject.tasks[task])
    ]
    found = summarise_reached(firsts, seed_of(subject.key, question.metric, axis.value, target))
    return Reaching(**found._asdict())


def compare_budgets(session: Session, viewer: Viewer, question: Question) -> ComparedBudgets:
    chosen = choose(session, viewer, question)
    return ComparedBudgets(arms=[_times(session, subject, chosen.tasks) for subject in chosen.subjects])


def _times(session: Session, subject: Subject, tasks: list[str]) -> ArmTimes:
    experiments = subject.on(tasks) or list(subject.tasks.values())
    spent = [_spent(session, run) for experiment in experiments for run in experiment.runs]
    measured = [each for each in spent if each]
    seconds = {phase: sum(each.get(phase, 0.0) for each in measured) / max(1, len(measured)) for phase in Phase}
    whole = sum(seconds.values()) if measured else None
    return ArmTimes(
        arm=subject.key,
        runs=len(measured),
        seconds={phase: value for phase, value in seconds.items() if value > 0},
        budget=budget_of(experiments, whole),
    )


def _spent(session: Session, run: Run) -> dict[Phase, float]:
    """Seconds of each phase; nothing before the first tick."""
    totals = {phase: read_total(session, run.id, f"time/{phase.value}") for phase in Phase}
    return {phase: total for phase, total in totals.items() if total is not None}
