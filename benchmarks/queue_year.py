"""A year of a team on a simulated clock, decided by the scheduler's own planner.

30 people in four projects share ten workers of four GPUs each. They submit sweeps, mostly in working hours; lengths are
spread widely, and three in ten are unknown to the planner beforehand. Machines fail, and what they held goes back to
its last checkpoint.
"""

import heapq
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from phylon.backend.queue.ask import Ask, Offer
from phylon.backend.queue.floor import Host, Running
from phylon.backend.queue.line import PROMOTION_SECONDS, Batch, Place, promote
from phylon.backend.queue.plan import Queue, Terms, plan
from phylon.backend.queue.shares import Person, accrue, fade
from phylon.backend.settings import Settings

HOUR, DAY = 3600.0, 86400.0
HALF_LIFE = Settings.usage_half_life_seconds
HOSTS, SLOTS = 10, 4
CHECKPOINT_SECONDS = 1800.0
"""What a failing machine loses at most."""
YIELD_SECONDS = 600.0
"""Until a job that is asked to hand back does so."""
BETWEEN_FAILURES, REPAIR = 30 * DAY, 4 * HOUR
STOCK = 4
PROJECTS = {
    1: Terms(weight=1.0),
    2: Terms(weight=1.0, allows_preemption=True),
    3: Terms(weight=2.0),
    4: Terms(weight=2.0),
}
PEOPLE = [Person(1 + number % len(PROJECTS), number) for number in range(30)]


@dataclass
class SimulatedJob:
    id: int
    person: Person
    priority: int
    devices: int
    left: float
    """Seconds of work."""
    expected: float | None
    queued_at: float
    longest_wait: float = 0.0


@dataclass
class Outcome:
    """What came of it. Device-seconds."""

    finished: int = 0
    used: dict[Person, float] = field(default_factory=dict)
    busy: float = 0.0
    available: float = 0.0
    busy_under_load: float = 0.0
    available_under_load: float = 0.0
    waits: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    """Longest stretch of waiting of each job, by class and devices."""
    still_waiting: list[float] = field(default_factory=list)
    """How long those have waited that wait at the end."""
    drought: float = 0.0
    """The longest time in which someone had jobs waiting and none running."""
    looks: int = 0
    preempted: int = 0
    failures: int = 0
    most_waiting: int = 0


Arrivals = Iterator[tuple[float, list[SimulatedJob]]]


class Simulation:
    """`refill` makes jobs for people who have few left, so that everyone always has demand."""

    def __init__(
        self,
        arrivals: Arrivals,
        until: float,
        seed: int,
        refill: Callable[[Person, float], SimulatedJob] | None = None,
    ) -> None:
        self._arrivals, self._until, self._refill = arrivals, until, refill
        self._chance = random.Random(seed)
        self.outcome = Outcome()
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._numbers = itertools.count()
        self._waiting: dict[int, SimulatedJob] = {}
        self._running: dict[int, tuple[SimulatedJob, Running, tuple[int, ...], int]] = {}
        self._is_up = dict.fromkeys(range(1, HOSTS + 1), True)
        self._usage: dict[Person, tuple[float, float]] = {}
        self._dry_since: dict[Person, float] = {}
        self._served: dict[tuple[Person, int], float] = {}
        self._free = {host: set(range(SLOTS)) for host in self._is_up}
        self._offer = Offer("gpu", SLOTS, 24 * 10**9, None, (), (), None, None)
        self._next_arrival()
        if refill is not None:
            self._schedule(0.0, lambda now: None)
        for host in self._is_up:
            self._schedule(self._chance.expovariate(1 / BETWEEN_FAILURES), lambda now, host=host: self._fail(host, now))

    def run(self) -> Outcome:
        now = 0.0
        while self._events and self._events[0][0] <= self._until:
            then = self._events[0][0]
            self._count(then - now)
            now = then
            while self._events and self._events[0][0] <= now:
                heapq.heappop(self._events)[2](now)
            self._look(now)
        self._count(self._until - now)
        for job, running, _, _ in self._running.values():
            self._charge(job.person, running.devices, self._until - running.since, self._until)
        self.outcome.still_waiting = [self._until - job.queued_at for job in self._waiting.values()]
        return self.outcome

    def _schedule(self, at: float, action: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (at, next(self._numbers), action))

    def _next_arrival(self) -> None:
        arrival = next(self._arrivals, None)
        if arrival is not None:
            self._schedule(arrival[0], lambda now: self._arrive(arrival[1]))

    def _arrive(self, jobs: list[SimulatedJob]) -> None:
        self._waiting.update((job.id, job) for job in jobs)
        self._next_arrival()

    def _count(self, seconds: float) -> None:
        """Under load means: enough waits to fill every device, however it were packed."""
        outcome = self.outcome
        available = SLOTS * sum(self._is_up.values())
        busy = sum(running.devices for _, running, _, _ in self._running.values())
        outcome.busy += busy * seconds
        outcome.available += available * seconds
        if sum(job.devices for job in self._waiting.values()) >= available - busy and self._waiting:
            outcome.busy_under_load += busy * seconds
            outcome.available_under_load += available * seconds

    def _top_up(self, now: float) -> None:
        if self._refill is not None:
            stock = Counter(job.person for job in self._waiting.values())
            for person in PEOPLE:
                for _ in range(STOCK - stock[person]):
                    job = self._refill(person, now)
                    self._waiting[job.id] = job

    def _look(self, now: float) -> None:
        self._top_up(now)
        outcome = self.outcome
        outcome.looks += 1
        outcome.most_waiting = max(outcome.most_waiting, len(self._waiting))
        hosts = [Host(id, self._offer, tuple(sorted(self._free[id]))) for id, is_up in self._is_up.items() if is_up]
        running = [running for _, running, _, _ in self._running.values()]
        made = plan(Queue(now, self._batches(now), hosts, running, self._used(now), PROJECTS))
        for placement in made.placements:
            self._start(self._waiting.pop(placement.job_id), placement.worker_id, placement.slots, now)
        served = {job.person for job, _, _, _ in self._running.values()}
        for person in {job.person for job in self._waiting.values()} - served:
            outcome.drought = max(outcome.drought, now - self._dry_since.setdefault(person, now))
        for person in served:
            self._dry_since.pop(person, None)
        for job_id in made.yields:
            job, state, slots, fence = self._running[job_id]
            self._running[job_id] = (job, state._replace(is_yielding=True), slots, fence)
            outcome.preempted += 1
            self._schedule(
                now + YIELD_SECONDS, lambda now, job_id=job_id, fence=fence: self._hand_back(job_id, fence, now)
            )

    def _batches(self, now: float) -> list[Batch]:
        groups: dict[tuple[Person, int, int], list[SimulatedJob]] = {}
        for job in self._waiting.values():
            groups.setdefault((job.person, job.priority, job.devices), []).append(job)
        found: list[Batch] = []
        for (person, priority, devices), jobs in groups.items():
            lengths = [job.expected for job in jobs if job.expected is not None]
            expected = max(lengths) if len(lengths) == len(jobs) else None
            ask = Ask(devices, "gpu", None, None, (), (), None)
            places: list[Place] = sorted((job.id, job.id) for job in jobs)
            oldest = min(job.queued_at for job in jobs)
            found.append(Batch(person, priority, ask, expected, oldest, places))
        served = {line for line, at in self._served.items() if now - at < PROMOTION_SECONDS}
        return promote(found, served, now)

    def _used(self, now: float) -> dict[Person, float]:
        used = {person: fade(amount, now - at, HALF_LIFE) for person, (amount, at) in self._usage.items()}
        for job, running, _, _ in self._running.values():
            used[job.person] = used.get(job.person, 0.0) + accrue(running.devices, now - running.since, HALF_LIFE)
        return used

    def _start(self, job: SimulatedJob, host: int, slots: tuple[int, ...], now: float) -> None:
        wait, fence = now - job.queued_at, next(self._numbers)
        job.longest_wait = max(job.longest_wait, wait)
        ends_at = None if job.expected is None else now + job.expected
        state = Running(job.id, job.person, job.priority, host, job.devices, now, ends_at, False, wait)
        self._running[job.id] = (job, state, slots, fence)
        self._served[job.person, job.priority] = now
        self._free[host] -= set(slots)
        self._schedule(now + job.left, lambda now: self._finish(job.id, fence, now))

    def _stop(self, job_id: int, now: float) -> SimulatedJob:
        job, running, slots, _ = self._running.pop(job_id)
        self._free[running.worker_id] |= set(slots)
        self._charge(job.person, running.devices, now - running.since, now)
        return job

    def _charge(self, person: Person, devices: int, seconds: float, now: float) -> None:
        amount, at = self._usage.get(person, (0.0, now))
        self._usage[person] = (fade(amount, now - at, HALF_LIFE) + accrue(devices, seconds, HALF_LIFE), now)
        self.outcome.used[person] = self.outcome.used.get(person, 0.0) + devices * seconds

    def _finish(self, job_id: int, fence: int, now: float) -> None:
        if job_id in self._running and self._running[job_id][3] == fence:
            job = self._stop(job_id, now)
            self.outcome.finished += 1
            self.outcome.waits.setdefault((job.priority, job.devices), []).append(job.longest_wait)

    def _hand_back(self, job_id: int, fence: int, now: float, lost: float = 0.0) -> None:
        if job_id in self._running and self._running[job_id][3] == fence:
            since = self._running[job_id][1].since
            job = self._stop(job_id, now)
            job.left -= max(0.0, now - since - lost)
            job.queued_at = now
            self._waiting[job.id] = job

    def _fail(self, host: int, now: float) -> None:
        self.outcome.failures += 1
        for job_id, (_, running, _, fence) in list(self._running.items()):
            if running.worker_id == host:
                self._hand_back(job_id, fence, now, lost=self._chance.uniform(0, CHECKPOINT_SECONDS))
        self._is_up[host] = False
        self._schedule(now + REPAIR, lambda now: self._repair(host, now))

    def _repair(self, host: int, now: float) -> None:
        self._is_up[host] = True
        self._schedule(now + self._chance.expovariate(1 / BETWEEN_FAILURES), lambda now: self._fail(host, now))


def sweeps(seed: int, total: int, until: float, mean_hours: float) -> Arrivals:
    """Of people who work by day, each at a rate of their own; a deadline every quarter doubles it for two weeks."""
    chance, ids = random.Random(seed), itertools.count(1)
    rates = [chance.lognormvariate(0, 0.8) for _ in PEOPLE]
    starts: list[tuple[float, Person, int]] = []
    made = 0
    while made < total:
        person = chance.choices(PEOPLE, rates)[0]
        at = chance.uniform(0, until)
        hour, day, quarter_day = at % DAY / HOUR, int(at / DAY) % 7, at / DAY % 91
        weight = (1.0 if 8 <= hour < 19 else 0.15) * (1.0 if day < 5 else 0.3) * (1.0 if quarter_day > 77 else 0.5)
        if chance.random() < weight:
            size = min(total - made, 1 + int(chance.paretovariate(1.1) * 2), 80)
            starts.append((at, person, size))
            made += size
    for at, person, size in sorted(starts, key=lambda start: start[0]):
        priority = chance.choices([0, 1, 2], [25, 65, 10])[0]
        devices = chance.choices([1, 2, 4], [80, 12, 8])[0]
        median = chance.lognormvariate(math.log(mean_hours * HOUR), 0.8) / 1.38
        jobs = [make_job(chance, next(ids), person, priority, devices, median, at) for _ in range(size)]
        yield at, jobs


def make_job(
    chance: random.Random, id: int, person: Person, priority: int, devices: int, median: float, at: float
) -> SimulatedJob:
    seconds = min(max(60.0, median * chance.lognormvariate(0, 0.3)), 4 * DAY)
    expected = seconds * chance.lognormvariate(0, 0.3) if chance.random() < 0.7 else None
    return SimulatedJob(id, person, priority, devices, seconds, expected, at)


def always(seed: int) -> Callable[[Person, float], SimulatedJob]:
    """Jobs for those who always have some: 1 to 4 devices, about four hours."""
    chance, ids = random.Random(seed), itertools.count(1)
    return lambda person, at: make_job(
        chance, next(ids), person, 1, chance.choices([1, 2, 4], [80, 12, 8])[0], 4 * HOUR, at
    )
