"""Rules about groups of experiments."""

from collections import Counter

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.names import owner_name, project_name
from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.experiments import service as experiments
from phylon.backend.forks import gathering
from phylon.backend.groups import repository
from phylon.backend.groups.repository import Standing
from phylon.backend.groups.results import read_results
from phylon.backend.jobs import actions
from phylon.backend.jobs.actions import Action
from phylon.backend.kit import clock, pages
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Group
from phylon.backend.queue.admission import ask_of, refuse_impossible
from phylon.backend.runs import extension
from phylon.backend.runs import repository as runs_repository
from phylon.backend.specs.refusal import SpecRefused
from phylon.backend.sweeping import marking
from phylon.backend.workers.environments import find_offers
from phylon.catalogue import offering
from phylon.contract.base import Page
from phylon.contract.experiments import FromSpec, FromYaml
from phylon.contract.groups import ExperimentGroup, GroupSummary
from phylon.contract.runs import Extension
from phylon.contract.vocabulary import ACTIVE, ExperimentStatus
from phylon.spec import SpecInvalid, group_to_yaml, parse_group, read_yaml, spec_to_yaml


class GroupActive(Conflict):
    """A group cannot be deleted while one of its runs has not ended."""

    def __init__(self, group_id: int, active: int) -> None:
        super().__init__(f"Group {group_id} has {active} run(s) that have not ended.", "Stop it first.")


def create(session: Session, context: Context, viewer: Viewer, body: FromSpec | FromYaml) -> ExperimentGroup:
    try:
        with offering(find_offers(session)):
            parsed = parse_group(read_yaml(body.yaml) if isinstance(body, FromYaml) else body.spec)
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    gathered = [gathering.gather(context, viewer, spec) for spec in parsed.experiments.values()]
    owner = owner_of_new(session, viewer, body.project)
    if not body.wait_for_worker:
        refuse_impossible(session, map(ask_of, parsed.experiments.values()))
    group = Group(
        name=parsed.spec.name,
        description=parsed.spec.description,
        yaml=body.yaml if isinstance(body, FromYaml) else group_to_yaml(parsed),
        owner_id=owner.user_id,
        project_id=owner.project_id,
        created_at=clock.now(),
    )
    group.experiments = [
        experiments.make(each.spec, spec_to_yaml(each.spec), owner, context.settings.max_attempts, body.priority, group)
        for each in gathered
    ]
    session.add(group)
    session.flush()
    for experiment, each in zip(group.experiments, gathered, strict=True):
        gathering.attach(session, context, experiment, each)
    audit.record(session, viewer, "group.create", f"group {group.id}", project_id=owner.project_id, name=group.name)
    return _read(session, group)


def list_page(session: Session, viewer: Viewer, limit: int, after: str | None) -> Page[GroupSummary]:
    rows, total = repository.page(session, viewer, limit + 1, pages.decode(after))
    standings = repository.standings(session, [group.id for group in rows[:limit]])
    return Page(
        items=[_summary(group, standings.get(group.id, [])) for group in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda group: group.id),
    )


def get(session: Session, viewer: Viewer, group_id: int) -> ExperimentGroup:
    return _read(session, repository.get(session, viewer, group_id))


def act(session: Session, context: Context, viewer: Viewer, group_id: int, action: Action) -> ExperimentGroup:
    """On all its runs that are in a fitting status."""
    group = repository.get(session, viewer, group_id)
    members = runs_repository.lock_of_experiments(session, group.experiments)
    actions.act(session, context, viewer, action, [run.job for run in members], "group", group_id)
    session.flush()
    return _read(session, group)


def extend(session: Session, context: Context, viewer: Viewer, group_id: int, body: Extension) -> ExperimentGroup:
    group = repository.get(session, viewer, group_id)
    runs_repository.lock_of_experiments(session, group.experiments)
    for experiment in group.experiments:
        extension.extend(session, context, viewer, experiment, experiment.runs, body)
    session.flush()
    return _read(session, group)


def delete(session: Session, viewer: Viewer, group_id: int) -> None:
    """With all its experiments. They are gone for everyone from now on; the sweeper removes rows and files."""
    group = _to_change(session, viewer, group_id)
    members = runs_repository.lock_of_experiments(session, group.experiments)
    active = [run for run in members if run.job.status in ACTIVE]
    if active:
        raise GroupActive(group_id, len(active))
    audit.record(session, viewer, "group.delete", f"group {group_id}", project_id=group.project_id, name=group.name)
    marking.delete(group, *group.experiments)
    marking.delete_runs(members)


def _to_change(session: Session, viewer: Viewer, group_id: int) -> Group:
    group = repository.get(session, viewer, group_id)
    require_change(viewer, group, f"group {group_id}")
    return group


def _read(session: Session, group: Group) -> ExperimentGroup:
    standings = repository.standings(session, [group.id]).get(group.id, [])
    results = read_results(session, group)
    return ExperimentGroup(
        **dict(_summary(group, standings)),
        yaml=group.yaml,
        of=results.of,
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
        owner=owner_name(group),
        project=project_name(group),
        created_at=group.created_at,
        size=len(standings),
        status=next((status for status in ExperimentStatus if counts[status]), None),
        counts={status: counts[status] for status in ExperimentStatus if counts[status]},
        progress=sum(standing.share for standing in standings) / max(1, len(standings)),
    )
