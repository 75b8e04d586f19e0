"""How long waiting runs will take, from the speed of similar ones: same environment, algorithm, method and size."""

import math
from statistics import median

from sqlalchemy.orm import Session

from phylon.backend.queue import repository

NEWEST_RUNS = 2000
MOST_AT_ONCE = 2000


def expect_waiting(session: Session) -> None:
    """Fills in what was not known before. The longest of a batch counts, so a guess that is too high does no harm."""
    unknown = repository.without_expectation(session, MOST_AT_ONCE)
    if not unknown:
        return
    found: dict[tuple[object, ...], list[float]] = {}
    for *likeness, speed in repository.speeds(session, NEWEST_RUNS):
        if math.isfinite(speed) and speed > 0:
            found.setdefault(tuple(likeness), []).append(speed)
    typical = {likeness: median(speeds) for likeness, speeds in found.items()}
    expected: dict[int, float] = {}
    for job_id, *likeness, total_steps, step in unknown:
        speed = typical.get(tuple(likeness))
        if speed is not None:
            expected[job_id] = (total_steps - step) * likeness[-1] / speed
    repository.expect(session, expected)
