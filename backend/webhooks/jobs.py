"""What webhooks hear of jobs and of the workers that execute them."""

from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.models import Job, Run
from phylon.backend.payloads import repository as payloads
from phylon.backend.runs import repository
from phylon.backend.webhooks.emit import emit
from phylon.contract.events import Diverged
from phylon.contract.vocabulary import JobStatus
from phylon.contract.webhooks import WebhookEvent

_ENDS = (JobStatus.FINISHED, JobStatus.FAILED, JobStatus.STOPPED)


def notify_end(session: Session, job: Job) -> None:
    """Does nothing for a job that has not ended."""
    if job.status not in _ENDS:
        return
    error = job.error["message"] if job.error else None
    if job.kind == "run":
        run = _find(session, job)
        name = _name(run)
        payload = _describe(run) | {"best_return": run.best_return, "final": run.final}
    else:
        number, called = payloads.number_and_name(session, job.id)
        name = f"{job.kind.replace('_', ' ')} {number} ({called})"
        payload = {f"{job.kind}_id": number, "name": called, "project_id": job.project_id}
        payload |= {"status": job.status, "worker": job.worker_name}
    said = f": {error}" if error and job.status == JobStatus.FAILED else ""
    payload |= {"error": error, "summary": f"{name} {job.status}{said}"}
    emit(session, job.project_id, WebhookEvent(f"{job.kind}.{job.status}"), payload)


def notify_diverged(session: Session, job: Job, event: Diverged) -> None:
    run = _find(session, job)
    summary = f"{_name(run)}: member {event.member} diverged at step {event.step}"
    payload = _describe(run) | {"member": event.member, "summary": summary}
    emit(session, job.project_id, WebhookEvent.MEMBER_DIVERGED, payload)


def notify_lost(session: Session, job: Job) -> None:
    """The worker that held the job was not heard of any more."""
    summary = f"worker {job.worker_name} was lost while it held job {job.id}"
    payload = {"worker_id": job.worker_id, "worker": job.worker_name, "job_id": job.id, "summary": summary}
    emit(session, job.project_id, WebhookEvent.WORKER_LOST, payload)


def notify_quarantined(session: Session, worker: str, reason: str) -> None:
    """Workers serve all projects, so all hear of it."""
    payload = {"worker": worker, "reason": reason, "summary": f"worker {worker} is quarantined: {reason}"}
    emit(session, None, WebhookEvent.WORKER_QUARANTINED, payload)


def _find(session: Session, job: Job) -> Run:
    return repository.of_job_with_experiment(session, job.id)


def _name(run: Run) -> str:
    return f"run {run.id} of {run.experiment.name} (experiment {run.experiment_id})"


def _describe(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "experiment_id": run.experiment_id,
        "experiment": run.experiment.name,
        "replicate": run.replicate,
        "project_id": run.job.project_id,
        "status": run.job.status,
        "step": run.step,
        "worker": run.job.worker_name,
    }
