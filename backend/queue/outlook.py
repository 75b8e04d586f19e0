"""When waiting jobs will start: the planner itself, looking at the queue as it will be when running jobs have ended."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from phylon.backend.queue.floor import Host, Running
from phylon.backend.queue.line import Batch
from phylon.backend.queue.plan import Queue, plan

MOST_LOOKS = 60
"""How far it is looked ahead; what starts later has no expectation."""


class Outlook(NamedTuple):
    starts: dict[int, float]
    """By job, where it is known."""
    is_cut: bool
    """Whether more could be known by looking further; else what is not there waits for jobs of unknown length."""


Place = tuple[int, int]
"""A job and a rank."""


def look_ahead(queue: Queue, slots: dict[Place, tuple[int, ...]]) -> Outlook:
    """`slots` are those of what runs. Nobody else is expected to submit anything."""
    starts: dict[int, float] = {}
    waiting = {job_id: batch for batch in queue.batches for _, job_id in batch.jobs}
    slots, running = dict(slots), {(job.job_id, job.rank): job for job in queue.running}
    ends = [(job.ends_at, (job.job_id, job.rank)) for job in queue.running if job.ends_at is not None]
    heapq.heapify(ends)
    for _ in range(MOST_LOOKS):
        for placed in plan(queue).placements:
            place, batch = (placed.job_id, placed.rank), waiting[placed.job_id]
            starts[placed.job_id] = queue.now
            slots[place] = placed.slots
            ends_at = None if batch.expected_seconds is None else queue.now + batch.expected_seconds
            running[place] = Running(
                job_id=placed.job_id,
                person=batch.person,
                priority=batch.priority,
                worker_id=placed.worker_id,
                devices=batch.ask.devices,
                since=queue.now,
                ends_at=ends_at,
                is_yielding=False,
                rank=placed.rank,
                hosts=batch.ask.hosts,
            )
            if ends_at is not None:
                heapq.heappush(ends, (ends_at, place))
        if len(starts) == len(waiting) or not ends:
            return Outlook(starts, is_cut=False)
        now = max(queue.now, ends[0][0])
        while ends and ends[0][0] <= now:
            running.pop(heapq.heappop(ends)[1])
        queue = queue._replace(
            now=now,
            batches=[left for batch in queue.batches if (left := _without(batch, starts)).jobs],
            running=list(running.values()),
            hosts=_free_again(queue.hosts, running, slots),
        )
    return Outlook(starts, is_cut=True)


def _without(batch: Batch, started: dict[int, float]) -> Batch:
    return batch._replace(jobs=[place for place in batch.jobs if place[1] not in started])


def _free_again(
    hosts: Sequence[Host], running: dict[Place, Running], slots: dict[Place, tuple[int, ...]]
) -> list[Host]:
    taken: dict[int, set[int]] = {}
    for place, job in running.items():
        taken.setdefault(job.worker_id, set()).update(slots.get(place, ()))
    return [
        host._replace(free=tuple(slot for slot in range(host.offer.slots) if slot not in taken.get(host.id, ())))
        for host in hosts
    ]
