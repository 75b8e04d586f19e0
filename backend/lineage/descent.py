"""What a run's lineage tells beyond its spans: numbers, schedules, and files for other programs."""

import numpy as np
from sqlalchemy.orm import Session

from phylon import results
from phylon.backend.kit.errors import Conflict, Invalid, PlatformError
from phylon.backend.lineage import repository
from phylon.backend.lineage.schemas import RunLineage
from phylon.backend.lineage.service import tuned_of
from phylon.backend.lineage.summary_schemas import LineageSummaryRead, ScheduleEntryRead, ScheduleRead
from phylon.backend.metrics import repository as metrics
from phylon.backend.metrics.frames import unpack
from phylon.backend.runs import repository as runs
from phylon.lineage.ancestry import Member, NoSuchMember, choose
from phylon.lineage.newick import newick
from phylon.lineage.ray_export import ray_zip
from phylon.lineage.ray_import import lineage_of_ray
from phylon.lineage.ray_log import RayLogInvalid
from phylon.lineage.schedule import NothingTuned, schedule_of, schedule_yaml
from phylon.lineage.summary import summarise
from phylon.returns import RETURN


class MemberUnknown(PlatformError):
    """There is no such member, or none is the best yet."""

    status_code = 404


class NoSchedule(Conflict):
    """Nothing is tuned in this run."""


def summary(session: Session, run_id: int) -> LineageSummaryRead:
    told = summarise(_lineage(session, run_id), _returns(session, run_id))
    return LineageSummaryRead.model_validate(told.model_dump())


def schedule(session: Session, run_id: int, member: Member) -> ScheduleRead:
    lineage = _lineage(session, run_id)
    try:
        span = choose(lineage, _returns(session, run_id), member)
        found = schedule_of(lineage, span.id)
    except NoSuchMember as error:
        raise MemberUnknown(f"In run {run_id} {error}.", "Look at the run's lineage.") from None
    except NothingTuned as error:
        raise NoSchedule(f"Run {run_id}: {error}.", "Give a hyper-parameter a distribution in the spec.") from None
    entries = [ScheduleEntryRead(step=entry.step, values=entry.values) for entry in found.schedule]
    return ScheduleRead(member=span.slot, span=span.id, schedule=entries, yaml=schedule_yaml(found))


def as_newick(session: Session, run_id: int) -> str:
    return newick(_lineage(session, run_id))


def as_ray_logs(session: Session, run_id: int) -> bytes:
    return ray_zip(_lineage(session, run_id))


def of_ray_logs(files: dict[str, str]) -> RunLineage:
    try:
        return RunLineage.model_validate(lineage_of_ray(files).model_dump())
    except RayLogInvalid as error:
        remedy = "Choose pbt_global.txt, or all of pbt_policy_*.txt, as Ray Tune wrote them."
        raise Invalid(f"These are not Ray's mutation logs: {error}.", remedy) from None


def _lineage(session: Session, run_id: int) -> results.RunLineage:
    run = runs.get_with_experiment(session, run_id)
    spans = repository.of_run(session, run_id)
    return results.RunLineage(
        population_size=run.population_size,
        end_step=run.step,
        tuned=[results.Tuned.model_validate(each.model_dump()) for each in tuned_of(run.experiment)],
        spans=[results.SpanInTime.model_validate(span, from_attributes=True) for span in spans],
    )


def _returns(session: Session, run_id: int) -> results.Series:
    """Every evaluation, where a chart would be given fewer."""
    column = metrics.column(session, run_id, RETURN)
    values = unpack(b"".join(column.data)).reshape(len(column.data), -1) if column.data else np.empty((0, 0))
    return results.Series(np.array(column.steps, np.int64), np.array(column.wall), values.astype(np.float64))
