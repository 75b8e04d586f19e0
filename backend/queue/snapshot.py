"""The queue as it stands, read for a decision or for a page."""

import json
import math
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.jobs.status import JobStatus
from phylon.backend.queue import repository
from phylon.backend.queue.ask import Offer, make_offer, read
from phylon.backend.queue.floor import Host, Running
from phylon.backend.queue.line import CLASSES, PROMOTION_SECONDS, Batch, promote
from phylon.backend.queue.plan import Queue, Terms
from phylon.backend.queue.repository import KnownWorker
from phylon.backend.queue.shares import Person, accrue, fade

WEEK = timedelta(days=7)


class History(NamedTuple):
    """What changes slowly, so that it need not be read at every look."""

    read_at: datetime
    used_seconds: dict[int, float]
    """Device-seconds of the last seven days, by project, where a project has a limit."""
    served: frozenset[tuple[Person, int]]
    """Who had a job of which class served within the time after which one is promoted."""


def read_queue(session: Session, context: Context, now: datetime, history: History) -> Queue:
    return read_devices(session, context, now, history)._replace(batches=read_waiting(session, now, history))


def read_devices(session: Session, context: Context, now: datetime, history: History) -> Queue:
    """All but what waits."""
    half_life = context.settings.usage_half_life_seconds
    placed = repository.placed(session)
    running = [_running(row, now.timestamp()) for row in placed]
    used: dict[Person, float] = {
        Person(row.project_id, row.user_id): fade(row.device_seconds, (now - row.updated_at).total_seconds(), half_life)
        for row in repository.usages(session)
    }
    for row, job in zip(placed, running, strict=True):
        if row.claimed_at is not None:
            amount = accrue(job.devices, now.timestamp() - job.since, half_life)
            used[job.person] = used.get(job.person, 0.0) + amount
    return Queue(
        now=now.timestamp(),
        batches=[],
        hosts=_hosts(session, context, now, placed),
        running=running,
        used=used,
        terms={
            project.id: Terms(
                weight=project.weight,
                max_running=project.max_running,
                weekly_seconds=None if project.weekly_device_hours is None else project.weekly_device_hours * 3600,
                used_seconds=history.used_seconds.get(project.id, 0.0),
                allows_preemption=project.allows_preemption,
            )
            for project in repository.projects(session)
        },
    )


def read_history(session: Session, now: datetime) -> History:
    limited = [project.id for project in repository.projects(session) if project.weekly_device_hours is not None]
    used = dict.fromkeys(limited, 0.0)
    start = now - WEEK
    for project_id, devices, claimed_at, ended_at in repository.attempts_since(session, start, limited):
        used[project_id] += devices * max(0.0, ((ended_at or now) - max(claimed_at, start)).total_seconds())
    served = repository.served_since(session, now - timedelta(seconds=PROMOTION_SECONDS))
    people = frozenset((Person(project_id, owner_id), CLASSES[priority]) for project_id, owner_id, priority in served)
    return History(now, used, people)


def host_offer(worker: KnownWorker) -> Offer:
    return _offer(*worker[2:12])


@lru_cache(maxsize=4096)
def _offer(
    device: str,
    slots: int,
    memory: int,
    host_memory: int | None,
    labels: str,
    suites: str,
    algorithms: str | None,
    methods: str | None,
    environments: str,
    several_ranks: bool,
) -> Offer:
    known, has = json.loads(algorithms or "null"), json.loads(methods or "null")
    own = [row["id"] for row in json.loads(environments)]
    lists = (json.loads(labels), json.loads(suites), known, has, own)
    return make_offer(device, slots, memory, host_memory, *lists, several_ranks)


@lru_cache(maxsize=4096)
def _slots(text: str | None) -> tuple[int, ...]:
    return tuple(json.loads(text or "null") or ())


def read_waiting(session: Session, now: datetime, history: History) -> list[Batch]:
    moved = repository.moved(session)
    found: list[Batch] = []
    for project_id, owner_id, priority, ask, queued_at, expected, numbers in repository.waiting(session, now):
        ids = sorted(map(int, numbers.split(",")))
        places = sorted((moved.get(id, id), id) for id in ids) if moved else list(zip(ids, ids, strict=True))
        person = Person(project_id, owner_id)
        found.append(Batch(person, CLASSES[priority], read(ask), expected, queued_at.timestamp(), places))
    return promote(found, history.served, now.timestamp())


def _hosts(session: Session, context: Context, now: datetime, placed: Any) -> list[Host]:
    taken: dict[int, set[int]] = {}
    for row in placed:
        taken.setdefault(row.worker_id, set()).update(_slots(row.slots))
    alive_since = now - timedelta(seconds=context.settings.lease_seconds)
    return [
        Host(
            worker.id,
            host_offer(worker),
            tuple(slot for slot in range(worker.slots) if slot not in taken.get(worker.id, ())),
        )
        for worker in repository.known_workers(session, alive_since)
        if not worker.is_refused
    ]


def _running(row: Any, now: float) -> Running:
    """Unpacked, since there may be a thousand, and asking a row for a column by name takes longer than all else."""
    job_id, project_id, owner_id, priority, worker_id, devices, status, _, queued_at, sent_at, *rest = row
    expected, claimed_at, *progress, yield_requested, rank, hosts = rest
    since = (claimed_at or sent_at).timestamp() if claimed_at or sent_at else now
    ends_at = None if expected is None else since + expected
    if claimed_at is not None:
        left = _left(*progress)
        ends_at = ends_at if left is None else now + left
    is_yielding = bool(yield_requested) or status == JobStatus.STOPPING
    person = Person(project_id, owner_id)
    had_waited = since - queued_at.timestamp()
    place = person, CLASSES[priority], worker_id, devices
    return Running(job_id, *place, since, ends_at, is_yielding, had_waited, rank, hosts)


def _left(size: int | None, total_steps: int | None, step: int | None, speed: float | None) -> float | None:
    """Seconds, by the speed of the run itself, which counts the steps of all members."""
    if size is None or total_steps is None or step is None or speed is None or not math.isfinite(speed) or speed <= 0:
        return None
    return (total_steps - step) * size / speed
