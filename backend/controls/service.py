"""Did tuning help? Starts the controls of a run, and compares its experiment with them."""

from sqlalchemy.orm import Session

from phylon.backend.accounts.names import project_name
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.comparisons import service as comparisons
from phylon.backend.comparisons.service import Question
from phylon.backend.context import Context
from phylon.backend.controls import repository
from phylon.backend.controls.document import control_group
from phylon.backend.groups import repository as groups_repository
from phylon.backend.groups import service as groups
from phylon.backend.kit.errors import Conflict
from phylon.backend.lineage import service as lineage
from phylon.backend.models import Experiment, Run
from phylon.backend.runs import repository as runs
from phylon.contract.comparisons import Arm, ArmPair, CurveAxis
from phylon.contract.controls import Control, ControlAnswer, ControlKind, Controls, ControlsRequest, RunControls
from phylon.contract.experiments import FromSpec, GroupName
from phylon.contract.vocabulary import ExperimentStatus, JobStatus
from phylon.returns import RETURN
from phylon.spec import parse_accepted, tuned

_ENDED = (ExperimentStatus.FINISHED, ExperimentStatus.STOPPED, ExperimentStatus.FAILED)
_ASKS = {
    ControlKind.SCHEDULE: "the schedule that it found, on fresh members",
    ControlKind.FIXED: "its final values, fixed from the start",
    ControlKind.RANDOM_SEARCH: "random search with as many members",
}


class NothingToControl(Conflict):
    """The run has not finished, or tuned nothing."""


def start(session: Session, context: Context, viewer: Viewer, run_id: int, body: ControlsRequest) -> Controls:
    with context.database.read() as reading:
        run = runs.get_with_experiment(reading, viewer, run_id)
        if why_not := _why_not(run):
            raise NothingToControl(why_not, "Ask for the controls of a run that tuned something and has finished.")
        member = run.final["member"] if run.final else "best"
        schedule = lineage.read_schedule_of_member(reading, viewer, run_id, member)
        document = control_group(parse_accepted(run.experiment.spec), run.experiment.name, run_id, schedule)
        project = body.project or project_name(run.job).name
    submitted = FromSpec(spec=document, project=project, priority=body.priority, wait_for_worker=body.wait_for_worker)
    made = groups.create(session, context, viewer, submitted)
    repository.add(session, made.id, run_id)
    session.expire_all()
    return _answer(session, viewer, runs.get_with_experiment(session, viewer, run_id), made.id)


def read(session: Session, viewer: Viewer, run_id: int) -> RunControls:
    run = runs.get_with_experiment(session, viewer, run_id)
    group_id = repository.newest_of_run(session, viewer, run_id)
    newest = _answer(session, viewer, run, group_id) if group_id is not None else None
    return RunControls(newest=newest, why_not=_why_not(run))


def _why_not(run: Run) -> str | None:
    if run.experiment.import_source:
        return f"The results of run {run.id} are from elsewhere."
    if run.job.status != JobStatus.FINISHED:
        return f"Run {run.id} is {run.job.status}, so it has no winner yet."
    if not tuned(parse_accepted(run.experiment.spec).algorithm):
        return f"Run {run.id} has no hyper-parameter with a distribution: it tuned nothing."
    return None


def _answer(session: Session, viewer: Viewer, run: Run, group_id: int) -> Controls:
    experiment = run.experiment
    group = groups_repository.get(session, viewer, group_id)
    baseline = f"experiment-{experiment.id}"
    found = comparisons.compare(
        session,
        viewer,
        Question([experiment.id], [group.id], RETURN, CurveAxis.STEPS, statistic=None, baseline=baseline),
    )
    arms = {arm.experiments[0].id: arm for arm in found.arms}
    pairs = {pair.first: pair for pair in found.pairs}
    controls = [_control(group.name, each, arms[each.id], pairs) for each in group.experiments]
    is_over = all(control.status in _ENDED for control in controls)
    return Controls(
        run_id=run.id,
        group=GroupName(id=group.id, name=group.name),
        is_over=is_over,
        headline=("" if is_over else "So far: ") + _headline(experiment.name, controls),
        controls=controls,
        caveats=found.verdict.caveats,
    )


def _control(group: str, experiment: Experiment, arm: Arm, pairs: dict[str, ArmPair]) -> Control:
    pair = pairs.get(arm.key)
    difference = pair.difference if pair else None
    if difference is not None:  # the control's minus the tuned one's, and asked is the opposite
        low, high = (None if end is None else -end for end in (difference.high, difference.low))
        difference = difference.model_copy(update={"value": -difference.value, "low": low, "high": high})
    answer = ControlAnswer.PENDING if pair is None else ControlAnswer.UNCLEAR
    if difference is not None and difference.low is not None and difference.high is not None:
        if difference.low > 0:
            answer = ControlAnswer.HELPED
        elif difference.high < 0:
            answer = ControlAnswer.HARMED
    return Control(
        kind=ControlKind(experiment.name.removeprefix(f"{group}-")),
        experiment_id=experiment.id,
        name=experiment.name,
        status=arm.experiments[0].status,
        answer=answer,
        difference=difference,
        replicates_needed=pair.replicates_needed if pair else None,
    )


def _headline(name: str, controls: list[Control]) -> str:
    by_answer = {answer: [_ASKS[each.kind] for each in controls if each.answer == answer] for answer in ControlAnswer}
    if by_answer[ControlAnswer.PENDING]:
        return "The controls have no results yet."
    parts = {
        "better than": by_answer[ControlAnswer.HELPED],
        "worse than": by_answer[ControlAnswer.HARMED],
        "not clearly different from": by_answer[ControlAnswer.UNCLEAR],
    }
    said = "; ".join(f"{words} {' and '.join(names)}" for words, names in parts.items() if names)
    if len(by_answer[ControlAnswer.HELPED]) == len(controls):
        return f"Tuning helped: {name} is {said}."
    if by_answer[ControlAnswer.HELPED] and not by_answer[ControlAnswer.HARMED]:
        return f"Tuning helped in part: {name} is {said}."
    if by_answer[ControlAnswer.HARMED]:
        return f"Tuning did not pay: {name} is {said}."
    return f"It cannot be said whether tuning helped: {name} is {said}."
