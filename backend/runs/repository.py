"""Queries about runs. Each comes with its job."""

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Experiment, Run


def get(session: Session, viewer: Viewer, run_id: int) -> Run:
    run = session.scalar(visible(select(Run).where(Run.id == run_id), viewer, Run))
    if run is None:
        raise NotFound("run", run_id)
    return run


def get_with_experiment(session: Session, viewer: Viewer, run_id: int) -> Run:
    statement = visible(select(Run).where(Run.id == run_id), viewer, Run)
    run = session.scalar(statement.options(joinedload(Run.experiment)))
    if run is None:
        raise NotFound("run", run_id)
    return run


def of_job(session: Session, job_id: int) -> Run:
    return session.scalars(select(Run).where(Run.job_id == job_id)).one()


def of_job_with_experiment(session: Session, job_id: int) -> Run:
    return session.scalars(select(Run).where(Run.job_id == job_id).options(joinedload(Run.experiment))).one()


def lock(session: Session, viewer: Viewer, run_id: int) -> Run:
    """Changed by nobody else until this transaction ends: its job is locked, as every writer does before it writes."""
    run = get(session, viewer, run_id)
    jobs.lock(session, run.job_id)
    session.refresh(run)
    return run


def lock_of_experiments(session: Session, experiments: list[Experiment]) -> list[Run]:
    ids = [experiment.id for experiment in experiments]
    jobs.lock_all(session, session.scalars(select(Run.job_id).where(Run.experiment_id.in_(ids))))
    statement = select(Run).where(Run.experiment_id.in_(ids)).order_by(Run.id)
    return list(session.scalars(statement.execution_options(populate_existing=True)))
