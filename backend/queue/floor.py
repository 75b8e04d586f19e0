"""The slots of all workers within one look at the queue: who has room, and which room is kept for whom."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from phylon.backend.queue.ask import Ask, Offer, ask_of_each, find_lacking, hosts_to_try, most_ranks
from phylon.backend.queue.shares import Person

UNKNOWN_SECONDS = 7 * 86400.0
"""How long a job counts as going on when nobody knows."""


class Host(NamedTuple):
    """A worker that may get jobs."""

    id: int
    offer: Offer
    free: tuple[int, ...]
    """Numbers of its free slots."""


class Running(NamedTuple):
    """A job that has slots: one that was sent to its worker, or that the worker holds. Of a gang, one of its ranks."""

    job_id: int
    person: Person
    priority: int
    worker_id: int
    devices: int
    since: float
    ends_at: float | None
    is_yielding: bool
    """Whether it was asked to hand back already."""
    had_waited: float = 0.0
    """Seconds before it got its slots."""
    rank: int = 0
    hosts: int = 1
    """Of the gang."""

    @property
    def is_large(self) -> bool:
        return self.devices * self.hosts > 1


class Reservation(NamedTuple):
    """Room of a worker that is kept for a job which needs more than is free."""

    job_id: int
    worker_id: int
    starts_at: float
    """When the worker is expected to have room."""
    closes_at: float
    """Only jobs that end before may go in between: the worker may have room so early if those of unknown length end
    soon. By `starts_at` the door would stay open, and the room never come, as long as one of unknown length runs."""
    spare: int
    """Slots that it will not need."""


class Placement(NamedTuple):
    job_id: int
    worker_id: int
    slots: tuple[int, ...]
    rank: int = 0
    """Of several that are placed at once, or none."""


class Floor:
    def __init__(self, hosts: Iterable[Host], running: Sequence[Running], now: float) -> None:
        self._now = now
        self._hosts = {host.id: host for host in hosts}
        self._free = {host.id: list(host.free) for host in self._hosts.values()}
        self._running: dict[int, list[Running]] = {}
        for job in running:
            self._running.setdefault(job.worker_id, []).append(job)
        self._reservations: dict[int, Reservation] = {}
        self._by_offer: dict[Offer, list[list[int]]] = {}
        for host in self._hosts.values():
            rooms = self._by_offer.setdefault(host.offer, [[] for _ in range(host.offer.slots + 1)])
            rooms[len(host.free)].append(host.id)
        self._offers = sorted(self._by_offer, key=_preference)
        self._capable: dict[Ask, list[Offer]] = {}

    def capable(self, ask: Ask) -> list[Offer]:
        """Offers that could hold it when nothing else runs, those that offer least beyond it first."""
        if ask not in self._capable:
            offers = self._offers
            if ask.worker_id is not None:
                offers = [self._hosts[ask.worker_id].offer] if ask.worker_id in self._hosts else []
            self._capable[ask] = [offer for offer in offers if find_lacking(ask, offer) is None]
        return self._capable[ask]

    def could_hold(self, ask: Ask) -> bool:
        """When nothing else runs."""
        if ask.hosts == 1:
            return bool(self.capable(ask))
        return any(self._count_seats(ask_of_each(ask, hosts)) >= hosts for hosts in hosts_to_try(ask))

    def _count_seats(self, each: Ask) -> int:
        return sum(
            most_ranks(offer, each.devices) * sum(map(len, self._by_offer[offer])) for offer in self.capable(each)
        )

    def workers(self, ask: Ask) -> list[int]:
        """That could hold it when nothing else runs."""
        offers = self.capable(ask)
        if ask.worker_id is not None:
            return [ask.worker_id] if offers else []
        return [worker_id for offer in offers for room in self._by_offer[offer] for worker_id in room]

    def free(self, worker_id: int) -> int:
        return len(self._free[worker_id])

    def count_free(self, ask: Ask) -> int:
        """On all workers that could hold it, together."""
        if ask.worker_id is not None:
            return self.free(ask.worker_id)
        rooms = (self._by_offer[offer] for offer in self.capable(ask))
        return sum(size * len(room) for sizes in rooms for size, room in enumerate(sizes))

    def is_kept(self, ask: Ask) -> bool:
        """Whether a worker has room for it which is reserved."""
        offers = self.capable(ask)
        return any(
            ask.worker_id in (None, worker_id)
            and self.free(worker_id) >= ask.devices
            and self._hosts[worker_id].offer in offers
            for worker_id in self._reservations
        )

    def running(self, worker_id: int) -> list[Running]:
        return self._running.get(worker_id, [])

    def find(self, ask: Ask, expected_seconds: float | None) -> list[int]:
        """A worker with room now for each rank, the same one several times only where it has to be and may; none where
        not all find room."""
        if ask.hosts == 1:
            found = self._find_one(ask, expected_seconds)
            return [] if found is None else [found]
        for hosts in hosts_to_try(ask):
            found = self._find_together(ask_of_each(ask, hosts), hosts, expected_seconds)
            if len(found) == hosts:
                return found
        return []

    def _find_together(self, each: Ask, hosts: int, expected_seconds: float | None) -> list[int]:
        fitting = [
            worker_id
            for offer in self.capable(each)
            for room in self._by_offer[offer][each.devices :]
            for worker_id in reversed(room)
            if self._may_use(worker_id, each.devices, expected_seconds)
        ]
        found = fitting[:hosts]
        for worker_id in fitting:
            offer, seats = self._hosts[worker_id].offer, 1
            while (
                len(found) < hosts
                and seats < most_ranks(offer, each.devices)
                and self._may_use(worker_id, (seats + 1) * each.devices, expected_seconds)
            ):
                found.append(worker_id)
                seats += 1
        return found

    def _find_one(self, ask: Ask, expected_seconds: float | None) -> int | None:
        """The one that keeps least room beyond, so that large jobs find some."""
        if ask.worker_id is not None:
            fits = self.capable(ask) and self._may_use(ask.worker_id, ask.devices, expected_seconds)
            return ask.worker_id if fits else None
        for offer in self.capable(ask):
            rooms = self._by_offer[offer]
            for room in rooms[ask.devices :]:
                for worker_id in reversed(room):
                    if self._may_use(worker_id, ask.devices, expected_seconds):
                        return worker_id
        return None

    def _may_use(self, worker_id: int, devices: int, expected_seconds: float | None) -> bool:
        free, kept = len(self._free[worker_id]), self._reservations.get(worker_id)
        if free < devices:
            return False
        if kept is None or devices <= kept.spare:
            return True
        return expected_seconds is not None and self._now + expected_seconds <= kept.closes_at

    def take(self, worker_id: int, devices: int, expected_seconds: float | None) -> tuple[int, ...]:
        free, kept = self._free[worker_id], self._reservations.get(worker_id)
        taken = tuple(free[:devices])
        self._move(worker_id, free[devices:])
        if kept is not None and (expected_seconds is None or self._now + expected_seconds > kept.closes_at):
            self._reservations[worker_id] = kept._replace(spare=kept.spare - devices)
        return taken

    def _move(self, worker_id: int, free: list[int]) -> None:
        rooms = self._by_offer[self._hosts[worker_id].offer]
        rooms[len(self._free[worker_id])].remove(worker_id)
        self._free[worker_id] = free
        rooms[len(free)].append(worker_id)

    def is_reserved(self, worker_id: int) -> bool:
        return worker_id in self._reservations

    def reserve(self, job_id: int, ask: Ask) -> list[Reservation]:
        """Keeps the worker with most room already, which is the one that was kept before, or else the one that will
        have room first; for a gang one for each rank, until the last of them has room. None where others are kept
        already."""
        for hosts in hosts_to_try(ask):
            each = ask_of_each(ask, hosts) if ask.hosts > 1 else ask
            options = sorted(
                (-self.free(worker_id), *self.next_room(worker_id, each.devices), worker_id)
                for worker_id in self.workers(each)
                if worker_id not in self._reservations
            )
            seats = [worker_id for *_, worker_id in options]
            for worker_id in list(seats) if hosts > 1 else ():
                seats += [worker_id] * (most_ranks(self._hosts[worker_id].offer, each.devices) - 1)
            if len(seats) >= hosts:
                return self._keep(job_id, Counter(seats[:hosts]), each.devices)
        return []

    def _keep(self, job_id: int, seats: Counter[int], devices: int) -> list[Reservation]:
        needed = {worker_id: count * devices for worker_id, count in seats.items()}
        rooms = {worker_id: self.next_room(worker_id, needed[worker_id]) for worker_id in seats}
        starts_at = max(at for at, _ in rooms.values())
        closes_at = max(self.next_room(worker_id, needed[worker_id], unknown_seconds=0.0)[0] for worker_id in seats)
        kept = [
            Reservation(job_id, worker_id, starts_at, closes_at, max(0, room - needed[worker_id]))
            for worker_id, (_, room) in rooms.items()
        ]
        self._reservations |= {reservation.worker_id: reservation for reservation in kept}
        return kept

    def next_room(self, worker_id: int, devices: int, unknown_seconds: float = UNKNOWN_SECONDS) -> tuple[float, int]:
        """When so many slots will be free together, and how many there will be then."""
        room, at = len(self._free[worker_id]), self._now
        ends = sorted((self._end_of(job, unknown_seconds), job.devices) for job in self.running(worker_id))
        for end, freed in ends:
            if room >= devices and end > at:
                break
            room, at = room + freed, max(end, at) if room < devices else at
        return at, room

    def _end_of(self, job: Running, unknown_seconds: float) -> float:
        if job.is_yielding:
            return self._now
        return self._now + unknown_seconds if job.ends_at is None else max(job.ends_at, self._now)


def _preference(offer: Offer) -> tuple[bool, int, int, int]:
    """GPUs before processors; then what the fewest jobs need is kept for them."""
    return offer.device != "gpu", len(offer.labels), offer.memory, offer.slots
