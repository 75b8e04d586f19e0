"""Queries about runs. Each comes with its job."""

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Experiment, Run


def get(session: Session, run_id: int) -> Run:
    run = session.get(Run, run_id)
    if run is None:
        raise NotFound("run", run_id)
    return run


def get_with_experiment(session: Session, run_id: int) -> Run:
    run = session.scalar(select(Run).where(Run.id == run_id).options(joinedload(Run.experiment)))
    if run is None:
        raise NotFound("run", run_id)
    return run


def of_job(session: Session, job_id: int) -> Run:
    return session.scalars(select(Run).where(Run.job_id == job_id)).one()


def lock(session: Session, run_id: int) -> Run:
    """Changed by nobody else until this transaction ends: its job is locked, as every writer does before it writes."""
    run = get(session, run_id)
    jobs.lock(session, run.job_id)
    session.refresh(run)
    return run


def lock_of_experiments(session: Session, experiments: list[Experiment]) -> list[Run]:
    ids = [experiment.id for experiment in experiments]
    jobs.lock_all(session, session.scalars(select(Run.job_id).where(Run.experiment_id.in_(ids))))
    statement = select(Run).where(Run.experiment_id.in_(ids)).order_by(Run.id)
    return list(session.scalars(statement.execution_options(populate_existing=True)))
