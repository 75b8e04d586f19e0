"""One look at the queue: which job goes where, who is asked to yield, and why everything else waits. Pure functions.

Jobs come in the order of `line`. One that does not fit does not hold up those behind it. One that asks for several
devices and has waited for long gets a reservation when its turn comes: a worker's room is kept for it from jobs that
come later and would not end before. A gang is placed as a whole or not at all, and has room of several workers kept.
Jobs that come earlier are not held up, but each of them raises what its owner has used, so nobody stays in front for
ever. The one that has waited longest, if for more than a day, is not passed at all.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from phylon.backend.queue.ask import Ask
from phylon.backend.queue.floor import Floor, Host, Placement, Reservation, Running
from phylon.backend.queue.line import Batch, Line
from phylon.backend.queue.shares import Accounts, Person
from phylon.contract.vocabulary import WaitReason

RESERVE_AFTER_SECONDS = 30 * 60.0
OVERDUE_SECONDS = 86400.0
LEAST_RUN_SECONDS = 3600.0
"""Before a job may be asked to hand back."""
MOST_RESERVATIONS = 4
"""At once. Each keeps slots idle, which is the price of not starving large jobs."""


class Terms(NamedTuple):
    """What a project may use."""

    weight: float = 1.0
    max_running: int | None = None
    """Devices at once."""
    weekly_seconds: float | None = None
    """Device-seconds within seven days."""
    used_seconds: float = 0.0
    """Of those."""
    allows_preemption: bool = False


class Queue(NamedTuple):
    """All that is decided upon."""

    now: float
    batches: Sequence[Batch]
    hosts: Sequence[Host]
    running: Sequence[Running]
    used: Mapping[Person, float]
    """Device-seconds by now, those of running jobs included."""
    terms: Mapping[int, Terms]


class Plan(NamedTuple):
    placements: list[Placement]
    yields: list[int]
    """Running jobs that are to hand back."""
    reservations: list[Reservation]
    reasons: dict[int, WaitReason]
    """Why those jobs of a batch wait that got no place, by the position of the batch."""


def make_accounts(queue: Queue) -> Accounts:
    accounts = Accounts(queue.used, {project: terms.weight for project, terms in queue.terms.items()})
    for job in queue.running:
        accounts.charge_entry(job.person, job.devices)
    return accounts


def may_decide(queue: Queue) -> bool:
    """Whether anything can come of a plan, whatever waits."""
    has_room = any(host.free for host in queue.hosts)
    return has_room or any(terms.allows_preemption for terms in queue.terms.values())


def plan(queue: Queue) -> Plan:
    floor = Floor(queue.hosts, queue.running, queue.now)
    accounts, quotas = make_accounts(queue), _Quotas(queue)
    preemption = _Preemption(floor, queue)
    made = Plan([], [], [], {})
    batches = list(queue.batches)
    _serve_overdue(queue, batches, floor, quotas, accounts, made)
    numbers = {id(batch): number for number, batch in enumerate(batches)}
    line = Line((batch for batch in batches if batch.jobs), accounts)
    full: dict[tuple[Ask, float | None], WaitReason] = {}

    def is_hopeless(batch: Batch) -> bool:
        """Room only shrinks, so who finds none finds none later. Who may reserve or preempt gets a turn."""
        reason = full.get((batch.ask, batch.expected_seconds))
        if reason is None or _may_reserve(batch, queue.now, made) or preemption.is_possible(batch):
            return False
        made.reasons[numbers[id(batch)]] = reason
        return True

    while (turn := line.next(is_hopeless)) is not None:
        batch, ask = turn.batch, turn.batch.ask
        if not quotas.allow(batch):
            made.reasons[numbers[id(batch)]] = WaitReason.QUOTA
            line.leave(turn)
            continue
        if seats := floor.find(ask, batch.expected_seconds):
            _place(floor, turn.job_id, batch, seats, made)
        elif (victims := preemption.find(batch)) is not None:
            made.yields.extend(victims)
            made.reasons[numbers[id(batch)]] = WaitReason.BUSY
        else:
            reason = _reason(floor, ask)
            made.reasons[numbers[id(batch)]] = full[ask, batch.expected_seconds] = reason
            if reason != WaitReason.NO_WORKER and _may_reserve(batch, queue.now, made):
                made.reservations.extend(floor.reserve(turn.job_id, ask))
            line.leave(turn)
            continue
        quotas.charge(batch)
        line.serve(turn)
    return made


def order(queue: Queue) -> list[int]:
    """All waiting jobs, as they would be served if there were room for each."""
    line = Line(queue.batches, make_accounts(queue))
    found: list[int] = []
    while (turn := line.next()) is not None:
        found.append(turn.job_id)
        line.serve(turn)
    return found


def _place(floor: Floor, job_id: int, batch: Batch, seats: Sequence[int], made: Plan) -> None:
    for rank, worker_id in enumerate(seats):
        slots = floor.take(worker_id, batch.ask.devices, batch.expected_seconds)
        made.placements.append(Placement(job_id, worker_id, slots, rank))


def _serve_overdue(
    queue: Queue, batches: list[Batch], floor: Floor, quotas: "_Quotas", accounts: Accounts, made: Plan
) -> None:
    """The large job that has waited longest, if for more than a day, gets the first room there is, or has it kept from
    everyone. Else its owner's own small jobs, which fit more easily, could keep it back for ever. Who has a large one
    running has had their turn: a backlog of large jobs is not to take all machines by its age."""
    have_one = {job.person for job in queue.running if job.is_large}
    overdue = [
        (batch.queued_at, number)
        for number, batch in enumerate(batches)
        if batch.ask.is_large and queue.now - batch.queued_at >= OVERDUE_SECONDS and batch.person not in have_one
        if quotas.allow(batch) and floor.could_hold(batch.ask)
    ]
    if not overdue:
        return
    _, number = min(overdue)
    batch = batches[number]
    job_id, ask = batch.jobs[0][1], batch.ask
    seats = floor.find(ask, batch.expected_seconds)
    if not seats:
        made.reservations.extend(floor.reserve(job_id, ask))
        return
    _place(floor, job_id, batch, seats, made)
    accounts.charge_entry(batch.person, ask.all_devices)
    quotas.charge(batch)
    batches[number] = batch._replace(jobs=batch.jobs[1:])


def _may_reserve(batch: Batch, now: float, made: Plan) -> bool:
    waited_long = batch.ask.is_large and now - batch.queued_at >= RESERVE_AFTER_SECONDS
    return waited_long and len({kept.job_id for kept in made.reservations}) < MOST_RESERVATIONS


def _reason(floor: Floor, ask: Ask) -> WaitReason:
    if not floor.could_hold(ask):
        return WaitReason.NO_WORKER
    if floor.is_kept(ask):
        return WaitReason.RESERVED
    return WaitReason.PLACEMENT if floor.count_free(ask) >= ask.all_devices else WaitReason.BUSY


def _may_ask(job: Running, now: float) -> bool:
    """One that begins must get somewhere, and one that got its turn by waiting for long does not lose it again."""
    return now - job.since >= LEAST_RUN_SECONDS and job.had_waited < OVERDUE_SECONDS


class _Quotas:
    def __init__(self, queue: Queue) -> None:
        self._terms = queue.terms
        self._devices: dict[int, int] = {}
        for job in queue.running:
            self._add(job.person.project_id, job.devices)

    def allow(self, batch: Batch) -> bool:
        project_id = batch.person.project_id
        terms = self._terms.get(project_id, Terms())
        if terms.weekly_seconds is not None and terms.used_seconds >= terms.weekly_seconds:
            return False
        in_use = self._devices.get(project_id, 0) + batch.ask.all_devices
        return terms.max_running is None or in_use <= terms.max_running

    def charge(self, batch: Batch) -> None:
        self._add(batch.person.project_id, batch.ask.all_devices)

    def _add(self, project_id: int, devices: int) -> None:
        self._devices[project_id] = self._devices.get(project_id, 0) + devices


class _Preemption:
    """Running jobs of a lower class, in projects that allow it, may be asked to hand back for one that finds no room.

    What has been asked for already is counted, so each job asks once, and slots that are about to be free are kept.
    """

    def __init__(self, floor: Floor, queue: Queue) -> None:
        self._floor = floor
        self._coming: dict[int, int] = {}
        self._victims: dict[int, list[Running]] = {}
        self._ranks: dict[int, list[Running]] = {}
        for job in queue.running:
            self._ranks.setdefault(job.job_id, []).append(job)
            if job.is_yielding:
                self._coming[job.worker_id] = self._coming.get(job.worker_id, 0) + job.devices
            elif queue.terms.get(job.person.project_id, Terms()).allows_preemption and _may_ask(job, queue.now):
                self._victims.setdefault(job.worker_id, []).append(job)
        for jobs in self._victims.values():
            jobs.sort(key=lambda job: (-job.priority, job.since))  # the last are asked first: low, and begun lately
        self._in_vain: set[tuple[Ask, int]] = set()

    def is_possible(self, batch: Batch) -> bool:
        if batch.priority == 0 or batch.ask.hosts > 1 or not (self._victims or self._coming):
            return False  # several workers to be cleared at once would stand idle until the last of them is
        return (batch.ask, batch.priority) not in self._in_vain

    def find(self, batch: Batch) -> list[int] | None:
        """Jobs to ask, perhaps none since enough were asked before; None where it does not help."""
        if not self.is_possible(batch):
            return None
        options: list[tuple[int, int, list[Running]]] = []
        for worker_id in self._floor.workers(batch.ask):
            if self._floor.is_reserved(worker_id):
                continue
            missing = batch.ask.devices - self._floor.free(worker_id) - self._coming.get(worker_id, 0)
            chosen: list[Running] = []
            for job in reversed(self._victims.get(worker_id, [])):
                if missing <= 0 or job.priority >= batch.priority:
                    break
                chosen.append(job)
                missing -= job.devices
            if missing <= 0:
                options.append((sum(job.devices for job in chosen), worker_id, chosen))
        if not options:
            self._in_vain.add((batch.ask, batch.priority))
            return None
        _, worker_id, chosen = min(options, key=lambda option: option[:2])
        self._keep(worker_id, batch.ask.devices, chosen)
        return list(dict.fromkeys(job.job_id for job in chosen))

    def _keep(self, worker_id: int, devices: int, chosen: list[Running]) -> None:
        for job in (rank for job_id in {job.job_id for job in chosen} for rank in self._ranks[job_id]):
            self._victims[job.worker_id].remove(job)
            self._coming[job.worker_id] = self._coming.get(job.worker_id, 0) + job.devices
        from_free = min(devices, self._floor.free(worker_id))
        self._floor.take(worker_id, from_free, None)
        self._coming[worker_id] = self._coming.get(worker_id, 0) - (devices - from_free)
        if not self._coming[worker_id]:
            del self._coming[worker_id]
