"""Which faults come, in which order, and when: all of it follows from a seed."""

import random
from typing import NamedTuple

from tests.chaos.fleet import LEASE_SECONDS

BRIEF = (0.5, 4.0)
LONGER_THAN_A_LEASE = (LEASE_SECONDS + 1, LEASE_SECONDS + 5)
SECONDS: dict[str, tuple[float, float]] = {
    "kill an API process": BRIEF,
    "freeze an API process": BRIEF,
    "kill a worker": BRIEF,
    "freeze a worker for longer than its lease": LONGER_THAN_A_LEASE,
    "have a worker leave in order": BRIEF,
    "kill a trainer": BRIEF,
    "kill Redis, its data gone": BRIEF,
    "flush Redis": BRIEF,
    "freeze Redis, delaying messages": BRIEF,
    "repeat messages, now and later": BRIEF,
    "stop Postgres at once": BRIEF,
    "kill a connection of Postgres": BRIEF,
    "cut a link": BRIEF,
    "slow a link down": LONGER_THAN_A_LEASE,
    "silence a link for longer than a lease": LONGER_THAN_A_LEASE,
    "lose the answers on a link": BRIEF,
    "set the clock forward": BRIEF,
    "set the clock back": BRIEF,
    "fill a worker's disk": BRIEF,
    "fill the disk of the artifacts": BRIEF,
}
"""The kinds of fault, and for how long each lasts."""
ON_SMALL_DISKS = ("fill a worker's disk", "fill the disk of the artifacts")
FAULTS = 10
"""In one storm."""
FIRST, LAST = 0.05, 0.85
"""The share of all work that is done before the first fault and before the last."""
JUMP_SECONDS = (30.0, 900.0)


class Fault(NamedTuple):
    at: float
    """It comes when so much of all work is done: on a slow machine later, and not fewer."""
    kind: str
    target: int
    """Which of those that it can hit; the rest of a division by their number."""
    seconds: float
    jump: float
    """By how many seconds a clock is set."""

    def __str__(self) -> str:
        return f"at {self.at:4.0%} {self.kind} (target {self.target}, {self.seconds:.1f} s, jump {self.jump:.0f} s)"


class Plan(NamedTuple):
    seed: int
    faults: list[Fault]

    def __str__(self) -> str:
        return "\n".join([f"storm {self.seed}:", *(f"  {fault}" for fault in self.faults)])


def make_plan(seed: int, count: int, with_disks: bool) -> Plan:
    """No kind comes twice before all have come."""
    chance = random.Random(seed)
    kinds = [kind for kind in SECONDS if with_disks or kind not in ON_SMALL_DISKS]
    order: list[str] = []
    while len(order) < count:
        order += chance.sample(kinds, len(kinds))
    moments = sorted(chance.uniform(FIRST, LAST) for _ in range(count))
    faults = [
        Fault(at, kind, chance.randrange(60), chance.uniform(*SECONDS[kind]), chance.uniform(*JUMP_SECONDS))
        for at, kind in zip(moments, order, strict=False)
    ]
    return Plan(seed, faults)
