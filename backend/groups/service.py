"""Rules about groups of experiments."""

from collections import Counter

from sqlalchemy.orm import Session

from phylon.backend.artifacts import storage
from phylon.backend.context import Context
from phylon.backend.experiments import service as experiments
from phylon.backend.experiments.service import SpecRefused
from phylon.backend.groups import repository
from phylon.backend.groups.repository import Standing
from phylon.backend.groups.results import read_results
from phylon.backend.kit import clock, pages
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Group
from phylon.backend.runs import repository as runs_repository
from phylon.backend.runs import service as runs
from phylon.backend.runs.status import ACTIVE
from phylon.contract.base import Page
from phylon.contract.experiments import FromSpec, FromYaml
from phylon.contract.groups import ExperimentGroup, GroupSummary
from phylon.contract.vocabulary import ExperimentStatus
from phylon.spec import SpecInvalid, group_to_yaml, parse_group, read_yaml, spec_to_yaml


class GroupNotActive(Conflict):
    """Only a group with a run that has not ended can be stopped."""

    def __init__(self, group_id: int) -> None:
        super().__init__(f"Group {group_id} has no run that could be stopped.", "Nothing needs to be done: it is over.")


class GroupActive(Conflict):
    """A group cannot be deleted while one of its runs has not ended."""

    def __init__(self, group_id: int, active: int) -> None:
        super().__init__(f"Group {group_id} has {active} run(s) that have not ended.", "Stop it first.")


def create(session: Session, context: Context, body: FromSpec | FromYaml) -> ExperimentGroup:
    try:
        parsed = parse_group(read_yaml(body.yaml) if isinstance(body, FromYaml) else body.spec)
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    group = Group(
        name=parsed.spec.name,
        description=parsed.spec.description,
        yaml=body.yaml if isinstance(body, FromYaml) else group_to_yaml(parsed),
        created_at=clock.now(),
    )
    group.experiments = [
        experiments.make(spec, spec_to_yaml(spec), context.settings.max_attempts, group)
        for spec in parsed.experiments.values()
    ]
    session.add(group)
    session.flush()
    return _read(session, group)


def list_page(session: Session, limit: int, after: str | None) -> Page[GroupSummary]:
    rows, total = repository.page(session, limit + 1, pages.decode(after))
    standings = repository.standings(session, [group.id for group in rows[:limit]])
    return Page(
        items=[_summary(group, standings.get(group.id, [])) for group in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda group: group.id),
    )


def get(session: Session, group_id: int) -> ExperimentGroup:
    return _read(session, repository.get(session, group_id))


def stop(session: Session, context: Context, group_id: int) -> ExperimentGroup:
    group = repository.get(session, group_id)
    active = [run for run in runs_repository.lock_of_experiments(session, group.experiments) if run.status in ACTIVE]
    if not active:
        raise GroupNotActive(group_id)
    for run in active:
        runs.request_stop(session, context, run)
    session.flush()
    return _read(session, group)


def delete(session: Session, context: Context, group_id: int) -> None:
    """With all its experiments. The rows go now, the files once the rows are gone for good."""
    group = repository.get(session, group_id)
    members = runs_repository.lock_of_experiments(session, group.experiments)
    active = [run for run in members if run.status in ACTIVE]
    if active:
        raise GroupActive(group_id, len(active))
    session.delete(group)
    run_ids = [run.id for run in members]
    after_commit(session, lambda: storage.delete_runs(context.settings.artifacts, run_ids))


def _read(session: Session, group: Group) -> ExperimentGroup:
    standings = repository.standings(session, [group.id]).get(group.id, [])
    results = read_results(session, group.experiments)
    return ExperimentGroup(
        **dict(_summary(group, standings)),
        yaml=group.yaml,
        experiments=results.experiments,
        comparable=results.comparable,
        aggregate=results.aggregate,
    )


def _summary(group: Group, standings: list[Standing]) -> GroupSummary:
    counts = Counter(standing.status for standing in standings)
    return GroupSummary(
        id=group.id,
        name=group.name,
        description=group.description,
        created_at=group.created_at,
        size=len(standings),
        status=next((status for status in ExperimentStatus if counts[status]), None),
        counts={status: counts[status] for status in ExperimentStatus if counts[status]},
        progress=sum(standing.share for standing in standings) / max(1, len(standings)),
    )
