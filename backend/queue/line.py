"""In which order waiting jobs are served: by class, then by share, then by place."""

import heapq
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from phylon.backend.queue.ask import Ask
from phylon.backend.queue.shares import Accounts, Person
from phylon.contract.vocabulary import Priority

CLASSES: dict[str, int] = {priority.value: rank for rank, priority in enumerate(Priority)}
HIGHEST = len(CLASSES) - 1
PROMOTION_SECONDS = 86400.0


Place = tuple[int, int]
"""Of a waiting job among those of its owner, the lower first; and its number. There are many, so a plain tuple."""


class Batch(NamedTuple):
    """Equal jobs of one person. A worker that can take one can take each of them."""

    person: Person
    priority: int
    """Rank of the class; the higher goes first."""
    ask: Ask
    expected_seconds: float | None
    """Of the longest; None where one is unknown."""
    queued_at: float
    """Of the one that waits longest."""
    jobs: list[Place]
    """In order."""
    is_promoted: bool = False
    """Whether it goes with the highest class, whatever its own is."""

    @property
    def rank(self) -> int:
        return HIGHEST if self.is_promoted else self.priority


def promote(batches: Sequence[Batch], served: Container[tuple[Person, int]], now: float) -> list[Batch]:
    """Nothing waits for ever behind a higher class: a person's first job of a class goes with the highest one when it
    has waited for a day, and no job of theirs was `served` in that class (a person and its rank) within a day.

    Only one at a time, so that a long backlog of a low class does not become a high one by waiting.
    """
    first: dict[tuple[Person, int], Batch] = {}
    for batch in batches:
        line = batch.person, batch.priority
        if line not in served and (line not in first or batch.jobs[0] < first[line].jobs[0]):
            first[line] = batch
    found: list[Batch] = []
    for batch in batches:
        is_first = first.get((batch.person, batch.priority)) is batch
        if not is_first or batch.priority == HIGHEST or now - batch.queued_at < PROMOTION_SECONDS:
            found.append(batch)
            continue
        found.append(batch._replace(jobs=batch.jobs[:1], is_promoted=True))
        if batch.jobs[1:]:
            found.append(batch._replace(jobs=batch.jobs[1:]))
    return found


class Turn(NamedTuple):
    batch: Batch
    job_id: int


class Line:
    """Whose turn it is. Each turn must be answered: by `serve`, or by `leave` when no job of the batch can be served.

    An entry of the heap says how its person stood when it was made. Standing only worsens within a look at the queue,
    so an entry that is out of date is found when it comes to the top, and is put back.
    """

    def __init__(self, batches: Iterable[Batch], accounts: Accounts) -> None:
        self._accounts = accounts
        self._jobs: dict[tuple[int, Person], list[tuple[Place, int, Batch, int]]] = {}
        for number, batch in enumerate(batches):
            mine = self._jobs.setdefault((batch.rank, batch.person), [])
            mine.append((batch.jobs[0], number, batch, 0))
        for mine in self._jobs.values():
            heapq.heapify(mine)
        self._heap = [self._entry(rank, person) for rank, person in self._jobs]
        heapq.heapify(self._heap)

    def _entry(self, rank: int, person: Person) -> tuple[int, float, float, Place, Person]:
        return (-rank, *self._accounts.score(person), self._jobs[rank, person][0][0], person)

    def next(self, is_hopeless: Callable[[Batch], bool] = lambda batch: False) -> Turn | None:
        """Batches that are hopeless get no turn; asking for many at once is cheaper than a turn for each."""
        while self._heap:
            rank, person = -self._heap[0][0], self._heap[0][-1]
            mine = self._jobs[rank, person]
            while mine and is_hopeless(mine[0][2]):
                heapq.heappop(mine)
            if not mine:
                heapq.heappop(self._heap)
                continue
            fresh = self._entry(rank, person)
            if fresh > self._heap[0]:
                heapq.heapreplace(self._heap, fresh)
                continue
            return Turn(mine[0][2], mine[0][0][1])
        return None

    def serve(self, turn: Turn) -> None:
        """It got devices, or will; the next job of its batch moves up."""
        batch = turn.batch
        self._accounts.charge_entry(batch.person, batch.ask.all_devices)
        mine = self._jobs[batch.rank, batch.person]
        _, number, _, position = mine[0]
        if position + 1 < len(batch.jobs):
            heapq.heapreplace(mine, (batch.jobs[position + 1], number, batch, position + 1))
        else:
            heapq.heappop(mine)

    def leave(self, turn: Turn) -> None:
        heapq.heappop(self._jobs[turn.batch.rank, turn.batch.person])
