"""Which slots of a worker are free."""

from collections.abc import Sequence

from phylon.backend.models import Job, Worker


def free_slots(worker: Worker, assigned: Sequence[Job]) -> list[int]:
    """`assigned` are the jobs that the worker executes, or that are on their way to it."""
    taken = {slot for job in assigned for slot in job.slots or [0]}
    return [number for number in range(worker.slots) if number not in taken]
