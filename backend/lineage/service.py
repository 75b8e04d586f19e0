"""The lineage of a run, and what follows from it: numbers, the past of one span, files for other programs."""

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit.errors import Conflict, Invalid, PlatformError
from phylon.backend.lineage import repository
from phylon.backend.metrics import history
from phylon.backend.runs import repository as runs
from phylon.contract.lineage import Ancestry, LineageSpan, LineageSummary, RunLineage, Schedule
from phylon.lineage.ancestry import Member, NoSuchMember, by_id, choose
from phylon.lineage.assembly import tuned_of
from phylon.lineage.ray_import import lineage_of_ray
from phylon.lineage.ray_log import RayLogInvalid
from phylon.lineage.schedule import NothingTuned, read_schedule
from phylon.lineage.summary import summarise, trace
from phylon.returns import RETURN
from phylon.series import Series
from phylon.spec import parse_accepted


class MemberUnknown(PlatformError):
    """There is no such member, or none is the best yet."""

    status_code = 404


class SpanUnknown(PlatformError):
    """There is no such span in this lineage."""

    status_code = 404

    def __init__(self, span: int) -> None:
        super().__init__(f"The lineage has no span {span}.", "Take the number of a span from the lineage.")


class NoSchedule(Conflict):
    """Nothing is tuned in this run."""


def read(session: Session, viewer: Viewer, run_id: int) -> RunLineage:
    run = runs.get_with_experiment(session, viewer, run_id)
    return RunLineage(
        population_size=run.population_size,
        end_step=run.step,
        tuned=tuned_of(parse_accepted(run.experiment.spec)) if run.experiment.import_format is None else [],
        spans=[LineageSpan.model_validate(span, from_attributes=True) for span in repository.of_run(session, run_id)],
    )


def read_summary(session: Session, viewer: Viewer, run_id: int) -> LineageSummary:
    return summarise(read(session, viewer, run_id), _returns(session, run_id))


def read_ancestry(session: Session, viewer: Viewer, run_id: int, span: int) -> Ancestry:
    return ancestry_of(read(session, viewer, run_id), _returns(session, run_id), span)


def ancestry_of(lineage: RunLineage, returns: Series | None, span: int) -> Ancestry:
    found = trace(lineage, returns, span)
    if found is None:
        raise SpanUnknown(span)
    return found


def read_schedule_of_member(session: Session, viewer: Viewer, run_id: int, member: Member) -> Schedule:
    lineage = read(session, viewer, run_id)
    try:
        return schedule_of(lineage, choose(lineage, _returns(session, run_id), member).id)
    except NoSuchMember as error:
        raise MemberUnknown(f"In run {run_id} {error}.", "Look at the run's lineage.") from None


def schedule_of(lineage: RunLineage, span: int) -> Schedule:
    found = by_id(lineage).get(span)
    if found is None:
        raise SpanUnknown(span)
    try:
        return read_schedule(lineage, found)
    except NothingTuned as error:
        raise NoSchedule(f"Span {span}: {error}.", "Give a hyper-parameter a distribution in the spec.") from None


def import_ray_logs(files: dict[str, str]) -> RunLineage:
    try:
        return lineage_of_ray(files)
    except RayLogInvalid as error:
        remedy = "Choose pbt_global.txt, or all of pbt_policy_*.txt, as Ray Tune wrote them."
        raise Invalid(f"These are not Ray's mutation logs: {error}.", remedy) from None


def _returns(session: Session, run_id: int) -> Series:
    """Every evaluation, where a chart would be given fewer."""
    page = history.whole(session, run_id, RETURN)
    return Series(page.steps, page.walls, page.values.astype(np.float64))
