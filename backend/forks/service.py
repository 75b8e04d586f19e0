"""Forks: from which stretches of a lineage there can be any, and new experiments from there."""

import copy
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts.names import project_name
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.experiments import service as experiments
from phylon.backend.experiments.status import derive
from phylon.backend.forks import repository
from phylon.backend.forks.gathering import kept_checkpoints
from phylon.backend.kit.errors import Conflict
from phylon.backend.lineage import repository as lineage
from phylon.backend.models import Run, Span
from phylon.backend.runs import repository as runs
from phylon.backend.specs.refusal import SpecRefused
from phylon.contract.experiments import Experiment as ExperimentRead
from phylon.contract.experiments import FromSpec
from phylon.contract.forks import Fork, Forkable, ForkableSpan, ForkDraft, ForkPoint, ForkRequest
from phylon.spec import SpecInvalid, parse_accepted, spec_to_json, to_yaml
from phylon.spec.overrides import PathRefused, put
from phylon.spec.problems import Problem, showable

KEEP_MORE = (
    "Only a checkpoint holds weights, and none is kept from their time. A new run keeps more with "
    "checkpoint.keep.last, or the winner's branch points with checkpoint.keep.branches."
)
LONGEST_NAME = 100


class NotForkable(Conflict):
    """There is no checkpoint of this moment."""


def list_forkable(session: Session, viewer: Viewer, run_id: int) -> Forkable:
    run = runs.get(session, viewer, run_id)
    steps = _steps(session, run)
    found = (
        ForkableSpan(span=span.id, member=span.slot, steps=[step for step in steps if _lives_at(span, step)])
        for span in lineage.of_run(session, run_id)
    )
    return Forkable(steps=steps, spans=[each for each in found if each.steps], why_not=KEEP_MORE)


def draft(session: Session, viewer: Viewer, run_id: int, point: ForkPoint) -> ForkDraft:
    run = runs.get_with_experiment(session, viewer, run_id)
    step, member = _choose(session, run, point)
    spec = spec_to_json(parse_accepted(run.experiment.spec))
    source: dict[str, Any] = {"run": run.id, "step": step}
    source |= {"best": 1} if member is None else {"members": [member]}
    spec["population"]["start"] = [source]
    spec["name"] = f"{run.experiment.name[: LONGEST_NAME - len('-fork')]}-fork"
    return ForkDraft(step=step, member=member, spec=spec, yaml=to_yaml(spec))


def fork(session: Session, context: Context, viewer: Viewer, run_id: int, body: ForkRequest) -> ExperimentRead:
    """A new experiment of the viewer's, from a run that they see."""
    point = ForkPoint(span=body.span, member=body.member, step=body.step)
    with context.database.read() as reading:  # weights are read before the transaction that writes begins
        spec = copy.deepcopy(draft(reading, viewer, run_id, point).spec)
        project = body.project or project_name(runs.get(reading, viewer, run_id).job).name
    for path, value in body.changes.items():
        try:
            put(spec, path, value)
        except PathRefused as refused:
            problem = Problem(path=path, value=showable(value), message=refused.message, remedy=refused.remedy)
            raise SpecRefused(SpecInvalid([problem])) from None
    submitted = FromSpec(spec=spec, project=project, priority=body.priority, wait_for_worker=body.wait_for_worker)
    return experiments.create(session, context, viewer, submitted)


def list_forks(session: Session, viewer: Viewer, run_id: int) -> list[Fork]:
    runs.get(session, viewer, run_id)
    return [
        Fork(
            id=experiment.id,
            name=experiment.name,
            status=derive(run.job.status for run in experiment.runs),
            created_at=experiment.created_at,
            step=start.step,
            members=start.members,
        )
        for experiment, start in repository.forks_of(session, viewer, run_id)
    ]


def _choose(session: Session, run: Run, point: ForkPoint) -> tuple[int, int | None]:
    """The step of a checkpoint that is kept, and the member; None for the best."""
    steps, member = _steps(session, run), point.member
    where = f"run {run.id}"
    if point.span is not None:
        span = next((each for each in lineage.of_run(session, run.id) if each.id == point.span), None)
        if span is None:
            raise NotForkable(f"Run {run.id} has no span {point.span}.", "Take a number from its lineage.")
        if member not in (None, span.slot):
            raise NotForkable(
                f"Span {span.id} is one of member {span.slot}, not of {member}.", "Leave out one of both."
            )
        member, where = span.slot, f"span {span.id} of run {run.id}"
        steps = [step for step in steps if _lives_at(span, step)]
    if member is not None and member >= run.population_size:
        raise NotForkable(f"Run {run.id} has no member {member}.", f"Use one from 0 to {run.population_size - 1}.")
    if not steps:
        raise NotForkable(f"No checkpoint of {where} is kept.", KEEP_MORE)
    if point.step is not None and point.step not in steps:
        kept = ", ".join(map(str, steps))
        raise NotForkable(f"No checkpoint of {where} at step {point.step} is kept.", f"Take one of the steps {kept}.")
    return (steps[-1] if point.step is None else point.step), member


def _steps(session: Session, run: Run) -> list[int]:
    return sorted({artifact.step for artifact in kept_checkpoints(session, run.job_id)})


def _lives_at(span: Span, step: int) -> bool:
    """A checkpoint is written after the births of its step."""
    ends = [span.end_step, span.diverged["step"] if span.diverged else None]
    return span.start_step <= step and all(end is None or step < end for end in ends)
