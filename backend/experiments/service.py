"""Rules about experiments."""

from sqlalchemy.orm import Session

from phylon.backend.artifacts import storage
from phylon.backend.context import Context
from phylon.backend.experiments import repository
from phylon.backend.experiments.status import derive
from phylon.backend.experiments.summary import group_name, summarise
from phylon.backend.kit import clock, pages
from phylon.backend.kit.database import after_commit
from phylon.backend.kit.errors import Conflict, Invalid
from phylon.backend.models import Experiment, Group, Run
from phylon.backend.runs import repository as runs_repository
from phylon.backend.runs import service as runs
from phylon.backend.runs.status import ACTIVE, RunStatus
from phylon.contract.base import Page
from phylon.contract.experiments import Experiment as ExperimentRead
from phylon.contract.experiments import ExperimentSummary, FromSpec, FromYaml
from phylon.contract.vocabulary import ExperimentStatus
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


class SpecRefused(Invalid):
    """The spec is not valid; every problem is listed and nothing was stored."""

    def __init__(self, error: SpecInvalid) -> None:
        count = len(error.problems)
        super().__init__(
            f"The spec has {count} problem{'s' if count > 1 else ''}: {error}.",
            "Correct the spec and submit it again; nothing was stored.",
            error.problems,
        )


class ExperimentNotActive(Conflict):
    """Only an experiment with a run that has not ended can be stopped."""

    def __init__(self, experiment_id: int) -> None:
        super().__init__(
            f"Experiment {experiment_id} has no run that could be stopped.", "Nothing needs to be done: it is over."
        )


class ExperimentActive(Conflict):
    """An experiment cannot be deleted while one of its runs has not ended."""

    def __init__(self, experiment_id: int, active: int) -> None:
        super().__init__(f"Experiment {experiment_id} has {active} run(s) that have not ended.", "Stop it first.")


def create(session: Session, context: Context, body: FromSpec | FromYaml) -> ExperimentRead:
    try:
        if isinstance(body, FromYaml):
            spec, yaml = parse_yaml(body.yaml), body.yaml
        else:
            spec, yaml = parse_spec(body.spec), to_yaml(body.spec)
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    experiment = make(spec, yaml, context.settings.max_attempts, group=None)
    session.add(experiment)
    session.flush()
    return read(experiment)


def make(spec: ExperimentSpec, yaml: str, max_attempts: int, group: Group | None) -> Experiment:
    """A new experiment with a queued run for each replicate, not yet stored.

    It keeps the resolved spec, which is what its runs train with whatever the defaults become, and the writer's text.
    """
    created_at = clock.now()
    return Experiment(
        name=spec.name,
        spec=spec_to_json(spec),
        yaml=yaml,
        suite=spec.environment.suite,
        environment=spec.environment.id,
        algorithm=spec.algorithm.name,
        method=spec.population.method.name,
        population_size=spec.population.size,
        created_at=created_at,
        group=group,
        runs=[
            Run(
                replicate=replicate,
                seed=replicate_seed(spec, replicate),
                population_size=spec.population.size,
                total_steps=spec.budget.env_steps,
                max_attempts=max_attempts,
                created_at=created_at,
                status=RunStatus.QUEUED.value,
            )
            for replicate in range(spec.replicates)
        ],
    )


def get(session: Session, experiment_id: int) -> ExperimentRead:
    return read(repository.get(session, experiment_id))


def list_page(
    session: Session,
    *,
    search: str | None,
    status: ExperimentStatus | None,
    group: int | None,
    limit: int,
    after: str | None,
) -> Page[ExperimentSummary]:
    rows, total = repository.page(session, search, status, group, limit + 1, pages.decode(after))
    return Page(
        items=summarise(session, rows[:limit]),
        total=total,
        next=pages.next_cursor(rows, limit, lambda experiment: experiment.id),
    )


def stop(session: Session, context: Context, experiment_id: int) -> ExperimentRead:
    experiment = repository.get(session, experiment_id)
    active = [run for run in runs_repository.lock_of_experiments(session, [experiment]) if run.status in ACTIVE]
    if not active:
        raise ExperimentNotActive(experiment_id)
    for run in active:
        runs.request_stop(session, context, run)
    return read(experiment)


def delete(session: Session, context: Context, experiment_id: int) -> None:
    """The rows go now, the files once the rows are gone for good."""
    experiment = repository.get(session, experiment_id)
    members = runs_repository.lock_of_experiments(session, [experiment])
    active = [run for run in members if run.status in ACTIVE]
    if active:
        raise ExperimentActive(experiment_id, len(active))
    session.delete(experiment)
    run_ids = [run.id for run in members]
    after_commit(session, lambda: storage.delete_runs(context.settings.artifacts, run_ids))


def read(experiment: Experiment) -> ExperimentRead:
    return ExperimentRead(
        id=experiment.id,
        name=experiment.name,
        status=derive(run.status for run in experiment.runs),
        created_at=experiment.created_at,
        spec=upgrade(experiment.spec),
        yaml=experiment.yaml,
        group=group_name(experiment),
        runs=[runs.read(run) for run in experiment.runs],
    )
