"""The queue as people see it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import may_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.jobs import ranks
from phylon.backend.kit import clock
from phylon.backend.queue import repository
from phylon.backend.queue.explanation import Explainer, explain_back_off
from phylon.backend.queue.line import CLASSES, Batch
from phylon.backend.queue.outlook import Outlook, look_ahead
from phylon.backend.queue.plan import Queue, order, plan
from phylon.backend.queue.repository import Only
from phylon.backend.queue.shares import Person
from phylon.backend.queue.snapshot import read_history, read_queue
from phylon.contract.queue import JobHost, RestingJob, RunningJob, Share, WaitingJob
from phylon.contract.queue import Queue as QueueRead
from phylon.contract.vocabulary import JobStatus, WaitReason

_REMEMBERED = timedelta(days=1)
MOST_RESTING = 100
EVERYONE = Only()


def read(session: Session, context: Context, viewer: Viewer, limit: int, only: Only = EVERYONE) -> QueueRead:
    now = clock.now()
    queue = read_queue(session, context, now, read_history(session, now))
    names = _Names(session, viewer)
    line = _Line(queue, repository.backing_off(session, now, only), only, limit)
    resting = repository.resting(session, viewer, now - _REMEMBERED, only, MOST_RESTING)
    rows = repository.described(session, [*(job.job_id for job in queue.running), *line.shown, *resting])
    gangs = ranks.present(session, [job.job_id for job in queue.running if job.hosts > 1])
    slots = {
        (job.job_id, job.rank): tuple(
            gangs[job.job_id][job.rank].slots if job.job_id in gangs else rows[job.job_id].slots or []
        )
        for job in queue.running
        if job.job_id in rows
    }
    return QueueRead(
        slots=sum(host.offer.slots for host in queue.hosts),
        free_slots=sum(len(host.free) for host in queue.hosts),
        running=[
            RunningJob(
                **names.describe(rows[job.job_id]),
                status=rows[job.job_id].status,
                is_pausing=rows[job.job_id].yield_to == JobStatus.PAUSED,
                worker_id=job.worker_id,
                worker_name=names.workers.get(job.worker_id, str(job.worker_id)),
                slots=list(slots[job.job_id, 0]),
                others=[
                    JobHost(
                        worker_id=rank.worker_id, worker_name=names.workers.get(rank.worker_id, ""), slots=rank.slots
                    )
                    for rank in gangs.get(job.job_id, [])[1:]
                ],
                since=_time(job.since),
                expected_end=None if job.ends_at is None else _time(job.ends_at),
            )
            for job in sorted(queue.running, key=lambda job: job.since)
            if job.rank == 0 and job.job_id in rows and _is_wanted(only, job.person, job.priority)
        ],
        waiting=_waiting(queue, names, rows, line, look_ahead(queue, slots)),
        waiting_total=line.total,
        resting=[
            RestingJob(
                **names.describe(row),
                status=row.status,
                since=row.finished_at or row.ended_at,
                error=row.error["message"] if row.error else None,
            )
            for row in (rows[job_id] for job_id in resting if job_id in rows)
        ],
        shares=_shares(queue, names),
    )


def _is_wanted(only: Only, person: Person, rank: int) -> bool:
    if only.priority is not None and rank != CLASSES[only.priority]:
        return False
    return only.project_id in (None, person.project_id) and only.owner_id in (None, person.user_id)


class _Line:
    """The whole queue in order, and which of it is shown."""

    def __init__(self, queue: Queue, later: list[int], only: Only, limit: int) -> None:
        self.in_order = order(queue)
        self.batches: dict[int, tuple[int, Batch]] = {
            job_id: (number, batch) for number, batch in enumerate(queue.batches) for _, job_id in batch.jobs
        }
        wanted = [id for id in self.in_order if _is_wanted(only, *self.batches[id][1][:2])]
        self.total = len(wanted) + len(later)
        self.shown = [*wanted[:limit], *later[: max(0, limit - len(wanted))]]


def _waiting(queue: Queue, names: "_Names", rows: Mapping[int, Any], line: _Line, outlook: Outlook) -> list[WaitingJob]:
    made = plan(queue)
    placed = {placement.job_id for placement in made.placements}
    explainer = Explainer(queue, made.reservations, names.workers)
    ahead: dict[str, int] = {}
    shown = set(line.shown)
    found: list[WaitingJob] = []
    for position, job_id in enumerate([*line.in_order, *(id for id in line.shown if id not in line.batches)], start=1):
        if job_id in shown and job_id in rows:
            row = rows[job_id]
            if job_id in line.batches:
                number, batch = line.batches[job_id]
                reason = WaitReason.NEXT if job_id in placed else made.reasons.get(number, WaitReason.BUSY)
                explanation = explainer.explain(reason, batch, names.projects[row.project_id], ahead)
                start, basis = _expect(job_id, batch, outlook)
            else:
                reason, explanation = WaitReason.BACK_OFF, explain_back_off(row.not_before)
                start, basis = None, "It has no place before its pause is over."
            found.append(
                WaitingJob(
                    **names.describe(row),
                    position=position,
                    since=row.queued_at,
                    reason=reason,
                    explanation=explanation,
                    expected_start=start,
                    basis=basis,
                )
            )
            if len(found) == len(shown):
                break
        if job_id in line.batches:
            batch = line.batches[job_id][1]
            owner = names.users[batch.person.user_id]
            ahead[owner] = ahead.get(owner, 0) + batch.ask.all_devices
    return found


def _expect(job_id: int, batch: Batch, outlook: Outlook) -> tuple[datetime | None, str]:
    start = outlook.starts.get(job_id)
    if start is not None:
        return _time(start), "The speed of the runs ahead of it and of similar ones before, if nobody submits more."
    if outlook.is_cut:
        return None, "Too many jobs are ahead of it to look that far."
    return None, "It waits for jobs of which nobody knows how long they take."


def _shares(queue: Queue, names: "_Names") -> list[Share]:
    """Of those who have used something lately or have jobs; a project's people share it alike."""
    devices: dict[Any, int] = {}
    for job in queue.running:
        devices[job.person] = devices.get(job.person, 0) + job.devices
    people = sorted({*queue.used, *devices, *(batch.person for batch in queue.batches)})
    projects = sorted({person.project_id for person in people})
    total = sum(queue.used.values()) or 1.0
    weights = sum(queue.terms[project_id].weight for project_id in projects) or 1.0
    found: list[Share] = []
    for project_id in projects:
        members = [person for person in people if person.project_id == project_id]
        entitled = queue.terms[project_id].weight / weights
        for person in [None, *members]:
            counted = members if person is None else [person]
            used = sum(queue.used.get(each, 0.0) for each in counted)
            found.append(
                Share(
                    project_id=project_id,
                    project=names.projects[project_id],
                    user_id=None if person is None else person.user_id,
                    user=None if person is None else names.users[person.user_id],
                    weight=queue.terms[project_id].weight,
                    devices=sum(devices.get(each, 0) for each in counted),
                    used_device_hours=used / 3600,
                    used_share=used / total,
                    entitled_share=entitled if person is None else entitled / len(members),
                )
            )
    return found


class _Names:
    """Everyone sees who uses what; what it is about is for those who may see the project."""

    def __init__(self, session: Session, viewer: Viewer) -> None:
        self._viewer = viewer
        self.users = repository.user_names(session)
        self.projects = {project.id: project.name for project in repository.projects(session)}
        workers = repository.known_workers(session, clock.now() - _REMEMBERED)
        self.workers = {worker.id: worker.name for worker in workers}

    def describe(self, row: Any) -> dict[str, Any]:
        may_see = self._viewer.is_admin or row.project_id in self._viewer.roles
        return {
            "id": row.id,
            "kind": row.kind,
            "name": row.name if may_see else None,
            "experiment_id": row.experiment_id if may_see else None,
            "run_id": row.run_id if may_see else None,
            "payload_id": row.payload_id if may_see else None,
            "owner_id": row.owner_id,
            "owner": self.users[row.owner_id],
            "project_id": row.project_id,
            "project": self.projects[row.project_id],
            "priority": row.priority,
            "devices": row.devices,
            "hosts": row.hosts,
            "may_change": may_change(self._viewer, row),
        }


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
