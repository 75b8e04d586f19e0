"""Removes, bit by bit, what nobody needs: rows and files of deleted jobs, old logs, files that belong to nothing.

Each function does a little in a transaction of its own and says whether there may be more to do.
"""

from datetime import timedelta

import structlog

from phylon.backend.artifacts import storage
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.sweeping import repository

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_UPLOAD_AGE = timedelta(hours=24)
"""An upload that has not grown for so long was given up."""
_ORPHAN_AGE = timedelta(hours=1)
"""A younger file without a row may be one whose row is about to be written."""


def sweep_deleted(context: Context) -> bool:
    with context.database.write() as session:
        if not repository.take_turn(session):
            return False
        job = repository.next_deleted(session)
        if job is None:
            repository.remove_empty(session)
            return False
        if repository.remove_some_history(session, job):
            return True
    context.artifacts.delete_job(job.id)  # before its row goes: a kill in between leaves a row, which is found again
    with context.database.write() as session:
        repository.remove_job(session, job.id)
    log.info("deleted_job_swept", job_id=job.id)
    return True


def sweep_old_logs(context: Context) -> bool:
    if context.settings.log_days is None:
        return False
    with context.database.write() as session:
        if not repository.take_turn(session):
            return False
        job_id = repository.ended_with_logs(session, clock.now() - timedelta(days=context.settings.log_days))
        return job_id is not None and repository.remove_some_log_lines(session, job_id)


def give_back_disk(context: Context) -> bool:
    with context.database.write() as session:
        return repository.take_turn(session) and repository.vacuum_some(session)


def sweep_files(context: Context) -> None:
    """Files without a row: a process was killed after it wrote the one and before it wrote or removed the other."""
    now = clock.now()
    for job_id in context.artifacts.jobs():
        files = context.artifacts.files(job_id)  # first: what is stored meanwhile is not among them
        with context.database.read() as session:
            known = repository.paths_of_job(session, job_id)
        for path, modified in files:
            age = _UPLOAD_AGE if storage.is_upload(path) else _ORPHAN_AGE
            if path not in known and now - modified > age:
                context.artifacts.discard(path)
                log.info("orphan_swept", path=path)
