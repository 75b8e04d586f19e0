"""Why a job waits, in words: the reason, who is ahead, what would free it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from phylon.backend.queue.ask import Ask, describe, find_lacking
from phylon.backend.queue.floor import UNKNOWN_SECONDS, Floor, Reservation
from phylon.backend.queue.line import Batch
from phylon.backend.queue.plan import Queue, Terms
from phylon.contract.vocabulary import WaitReason

MOST_NAMES = 3


class Explainer:
    def __init__(self, queue: Queue, reservations: Sequence[Reservation], workers: Mapping[int, str]) -> None:
        self._queue, self._reservations, self._workers = queue, reservations, workers
        self._floor = Floor(queue.hosts, queue.running, queue.now)

    def explain(self, reason: WaitReason, batch: Batch, project: str, ahead: Mapping[str, int]) -> str:
        """`ahead`: devices that those ask for who are ahead, by name."""
        match reason:
            case WaitReason.NEXT:
                return "There is room for it; it is sent as soon as the scheduler looks again."
            case WaitReason.NO_WORKER:
                return self._no_worker(batch.ask)
            case WaitReason.QUOTA:
                return self._quota(project, self._queue.terms.get(batch.person.project_id, Terms()), batch)
            case WaitReason.PLACEMENT if batch.ask.hosts > 1:
                needs = f"It needs {batch.ask.devices} free device{'s' if batch.ask.devices > 1 else ''} on each of "
                return needs + f"{batch.ask.hosts} workers at once." + self._relief(batch.ask)
            case WaitReason.PLACEMENT:
                most = max(map(self._floor.free, self._floor.workers(batch.ask)), default=0)
                needs = f"It needs {batch.ask.devices} devices on one worker; at most {most} are free together."
                return needs + self._relief(batch.ask)
            case WaitReason.RESERVED:
                return "The free devices are kept for a job that needs several and has waited for long" + (
                    f" (job {self._reservations[0].job_id})." if self._reservations else "."
                )
            case _:
                return f"All devices that could take it are in use{_name(ahead)}." + self._relief(batch.ask)

    def _relief(self, ask: Ask) -> str:
        rooms = [(*self._floor.next_room(worker_id, ask.devices), worker_id) for worker_id in self._floor.workers(ask)]
        if not rooms:
            return ""
        at, _, worker_id = sorted(rooms)[min(ask.hosts, len(rooms)) - 1]  # of a gang, the last
        name = self._workers.get(worker_id, str(worker_id))
        if at - self._queue.now >= UNKNOWN_SECONDS:
            return f" Worker {name} may have room first, but nobody knows when its jobs end."
        return f" Worker {name} is expected to have room at {datetime.fromtimestamp(at, UTC):%d %b %H:%M} UTC."

    def _no_worker(self, ask: Ask) -> str:
        if ask.worker_id is not None and ask.worker_id not in {host.id for host in self._queue.hosts}:
            return f"It is for worker {ask.worker_id} alone, which is not there or takes no jobs at the moment."
        if not self._queue.hosts:
            return "No worker is there that takes jobs; start one with `phylon worker`."
        lacking = sorted({find_lacking(ask, host.offer) or "" for host in self._queue.hosts})
        if ask.hosts > 1 and "" in lacking:
            fitting = len(self._floor.workers(ask))
            return f"It needs {describe(ask)}, and only {fitting} of the workers that are there could take part."
        return f"It needs {describe(ask)}, and no worker that is there has {' and '.join(filter(None, lacking))}."

    def _quota(self, project: str, terms: Terms, batch: Batch) -> str:
        if terms.weekly_seconds is not None and terms.used_seconds >= terms.weekly_seconds:
            used, limit = terms.used_seconds / 3600, terms.weekly_seconds / 3600
            return (
                f"Project {project} has used {used:,.0f} of its {limit:,.0f} device-hours of the last seven days; "
                "it waits until some of them lie further back."
            )
        in_use = sum(job.devices for job in self._queue.running if job.person.project_id == batch.person.project_id)
        return (
            f"Project {project} may use {terms.max_running} devices at once and uses {in_use}; "
            "it waits until one of its jobs ends."
        )


def explain_back_off(until: datetime) -> str:
    return f"Its last attempt ended badly; it is tried again after {until:%d %b %H:%M:%S} UTC."


def _name(ahead: Mapping[str, int]) -> str:
    """The largest first."""
    if not ahead:
        return ", and it is the next"
    names = sorted(ahead.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{name} with {devices} device{'s' if devices > 1 else ''}" for name, devices in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        words.append(f"{len(names) - MOST_NAMES} more")
    return f"; ahead of it: {', '.join(words)}"
