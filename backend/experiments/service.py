"""Rules about experiments."""

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.names import owner_name, project_name
from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Owner, Viewer
from phylon.backend.context import Context
from phylon.backend.experiments import repository, values
from phylon.backend.experiments.status import derive
from phylon.backend.experiments.summary import group_name
from phylon.backend.forks import gathering
from phylon.backend.forks import repository as forks
from phylon.backend.imports.read_only import refuse_imported
from phylon.backend.jobs import actions
from phylon.backend.jobs import status as job_status
from phylon.backend.jobs.actions import Action
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Experiment, Group, Run
from phylon.backend.queue.admission import ask_of, refuse_impossible
from phylon.backend.runs import extension
from phylon.backend.runs import repository as runs_repository
from phylon.backend.runs import service as runs
from phylon.backend.specs.refusal import SpecRefused
from phylon.backend.sweeping import marking
from phylon.backend.workers.environments import find_offers
from phylon.catalogue import offering
from phylon.contract.experiments import Experiment as ExperimentRead
from phylon.contract.experiments import FromSpec, FromYaml, StartedFrom
from phylon.contract.imports import ImportSource
from phylon.contract.runs import Extension
from phylon.contract.vocabulary import ACTIVE, Priority
from phylon.spec import (
    ExperimentSpec,
    SpecInvalid,
    parse_spec,
    parse_yaml,
    replicate_seed,
    spec_to_json,
    to_yaml,
)
from phylon.spec.upgrade import upgrade


class ExperimentActive(Conflict):
    """An experiment cannot be deleted while one of its runs has not ended."""

    def __init__(self, experiment_id: int, active: int) -> None:
        super().__init__(f"Experiment {experiment_id} has {active} run(s) that have not ended.", "Stop it first.")


def create(session: Session, context: Context, viewer: Viewer, body: FromSpec | FromYaml) -> ExperimentRead:
    try:
        with offering(find_offers(session)):
            if isinstance(body, FromYaml):
                spec, yaml = parse_yaml(body.yaml), body.yaml
            else:
                spec, yaml = parse_spec(body.spec), to_yaml(body.spec)
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    gathered = gathering.gather(context, viewer, spec)
    owner = owner_of_new(session, viewer, body.project)
    if not body.wait_for_worker:
        refuse_impossible(session, [ask_of(spec)])
    experiment = make(gathered.spec, yaml, owner, context.settings.max_attempts, body.priority, group=None)
    session.add(experiment)
    session.flush()
    gathering.attach(session, context, experiment, gathered)
    target = f"experiment {experiment.id}"
    audit.record(session, viewer, "experiment.create", target, project_id=owner.project_id, name=experiment.name)
    return read(session, viewer, experiment)


def make(
    spec: ExperimentSpec, yaml: str, owner: Owner, max_attempts: int, priority: Priority, group: Group | None
) -> Experiment:
    """A new experiment with a queued run for each replicate, not yet stored.

    It keeps the resolved spec, which is what its runs train with whatever the defaults become, and the writer's text.
    """
    created_at, ask, plain = clock.now(), ask_of(spec), spec_to_json(spec)
    return Experiment(
        name=spec.name,
        spec=plain,
        values=values.of_spec(plain),
        tags=[],
        notes="",
        yaml=yaml,
        suite=spec.environment.suite,
        environment=spec.environment.id,
        algorithm=spec.algorithm.name,
        method=spec.population.method.name,
        population_size=spec.population.size,
        owner_id=owner.user_id,
        project_id=owner.project_id,
        created_at=created_at,
        group=group,
        runs=[
            Run(
                job=job_status.create("run", owner, max_attempts, created_at, ask, priority),
                replicate=replicate,
                seed=replicate_seed(spec, replicate),
                population_size=spec.population.size,
                total_steps=spec.budget.env_steps,
            )
            for replicate in range(spec.replicates)
        ],
    )


def get(session: Session, viewer: Viewer, experiment_id: int) -> ExperimentRead:
    return read(session, viewer, repository.get(session, viewer, experiment_id))


def act(session: Session, context: Context, viewer: Viewer, experiment_id: int, action: Action) -> ExperimentRead:
    """On all its runs that are in a fitting status."""
    experiment = repository.get(session, viewer, experiment_id)
    refuse_imported(experiment)
    members = runs_repository.lock_of_experiments(session, [experiment])
    actions.act(session, context, viewer, action, [run.job for run in members], "experiment", experiment_id)
    return read(session, viewer, experiment)


def extend(session: Session, context: Context, viewer: Viewer, experiment_id: int, body: Extension) -> ExperimentRead:
    experiment = repository.get(session, viewer, experiment_id)
    refuse_imported(experiment)
    members = runs_repository.lock_of_experiments(session, [experiment])
    extension.extend(session, context, viewer, experiment, members, body)
    return read(session, viewer, experiment)


def delete(session: Session, viewer: Viewer, experiment_id: int) -> None:
    """It is gone for everyone from now on; the sweeper removes rows and files."""
    experiment = _to_change(session, viewer, experiment_id)
    members = runs_repository.lock_of_experiments(session, [experiment])
    active = [run for run in members if run.job.status in ACTIVE]
    if active:
        raise ExperimentActive(experiment_id, len(active))
    target, name = f"experiment {experiment_id}", experiment.name
    audit.record(session, viewer, "experiment.delete", target, project_id=experiment.project_id, name=name)
    marking.delete(experiment)
    marking.delete_runs(members)


def _to_change(session: Session, viewer: Viewer, experiment_id: int) -> Experiment:
    experiment = repository.get(session, viewer, experiment_id)
    require_change(viewer, experiment, f"experiment {experiment_id}")
    return experiment


def read(session: Session, viewer: Viewer, experiment: Experiment) -> ExperimentRead:
    return ExperimentRead(
        id=experiment.id,
        name=experiment.name,
        status=derive(run.job.status for run in experiment.runs),
        owner=owner_name(experiment),
        project=project_name(experiment),
        created_at=experiment.created_at,
        spec=upgrade(experiment.spec),
        yaml=experiment.yaml,
        group=group_name(experiment),
        runs=[runs.read(run) for run in experiment.runs],
        tags=[tag.name for tag in experiment.tags],
        notes=experiment.notes,
        starred=experiment.id in repository.starred(session, viewer, [experiment.id]),
        archived_at=experiment.archived_at,
        started_from=[_read_source(source) for source in forks.sources_of(session, viewer, experiment.id)],
        imported=ImportSource.model_validate(experiment.import_source) if experiment.import_source else None,
    )


def _read_source(source: forks.Source) -> StartedFrom:
    start, is_seen = source.start, source.experiment_id is not None
    return StartedFrom(
        experiment_id=source.experiment_id,
        run_id=start.run_id if is_seen else None,
        experiment=start.name if is_seen else None,
        step=start.step,
        members=start.members,
    )
