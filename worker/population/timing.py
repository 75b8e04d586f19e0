"""When a population evolves."""

from typing import NamedTuple

from phylon.spec.evolving import Evolving
from phylon.spec.methods.union import MethodSpec
from phylon.spec.schedule_method import ScheduleSpec


class Progress(NamedTuple):
    """Of each member; seconds are those of the whole run."""

    steps: int
    updates: int
    seconds: float


def is_due(method: MethodSpec, before: Progress, after: Progress) -> bool:
    """Whether the population evolves at the end of a segment that led from one progress to the other."""
    if isinstance(method, ScheduleSpec):
        return any(before.steps < entry.step <= after.steps for entry in method.schedule)
    if not isinstance(method, Evolving):
        return False
    if method.unit == "seconds" and not after.updates:
        return False  # a member that has learnt nothing yet is not worth selecting
    then, now = getattr(before, method.unit), getattr(after, method.unit)
    return now // method.interval > then // method.interval and now >= method.burn_in
