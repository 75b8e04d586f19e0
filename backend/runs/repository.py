"""Queries about runs. Each comes with its job."""

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

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
    """The run and its job, changed by nobody else until this transaction ends."""
    run = session.scalar(
        select(Run).where(Run.id == run_id).with_for_update().execution_options(populate_existing=True)
    )
    if run is None:
        raise NotFound("run", run_id)
    return run


def lock_of_experiments(session: Session, experiments: list[Experiment]) -> list[Run]:
    """With their jobs, in the order of these, as everyone who locks several must."""
    ids = [experiment.id for experiment in experiments]
    statement = select(Run).where(Run.experiment_id.in_(ids)).order_by(Run.job_id).with_for_update()
    return list(session.scalars(statement.execution_options(populate_existing=True)))
