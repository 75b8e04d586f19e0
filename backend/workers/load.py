"""How busy a worker was: the share of its slots' time that jobs had, bucket by bucket."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from phylon.backend.workers.repository import BusyTime
from phylon.contract.workers import WorkerLoad

BUCKET = timedelta(minutes=30)
BUCKETS = 48


def measure(times: Sequence[BusyTime], slots: int, now: datetime) -> WorkerLoad:
    start = now - BUCKETS * BUCKET
    busy = [0.0] * BUCKETS
    for time in times:
        for number in range(BUCKETS):
            begin = start + number * BUCKET
            overlap = min(time.end or now, begin + BUCKET) - max(time.start, begin)
            busy[number] += time.slots * max(0.0, overlap / BUCKET)
    shares = [min(1.0, each / slots) for each in busy]
    return WorkerLoad(start=start, bucket_seconds=int(BUCKET.total_seconds()), busy=shares)
