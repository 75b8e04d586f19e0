"""Reports to the service what a job's process says, in a thread of its own, so that nothing else delays a heartbeat.

A `checkpoint` or `video` event, and all that follows it, waits until the file itself is stored: the service must never
believe in a file that it does not hold. The outcome event waits until the process has ended and its output is
reported, because the service takes nothing more from an attempt that is over.
"""

import contextvars
import functools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from phylon.contract.protocol import OUTCOMES, Claim, Heartbeat, JobEvent, LogLine
from phylon.spool import SPOOL_FILE, SpoolReader
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import AttemptRefused, Service, ServiceUnreachable, pauses
from phylon.worker.supervisor.station import Station
from phylon.worker.supervisor.upload import Upload, Uploaded, file_of

LOOK_SECONDS = 0.1
"""Between two looks at the spool."""
GATHER_SECONDS = 0.4
"""News wait this long for company, so that a fast job does not flood the service."""
READ_AT_ONCE = 20
MOST_EVENTS = 500
MOST_EVENT_CHARACTERS = 4_000_000
MOST_LINES = 1_000

log = logging.getLogger(__name__)


class Relay:
    """One attempt's line to the service. `over` is set when there is nothing more to say, or no one who listens."""

    def __init__(
        self,
        service: Service,
        claim: Claim,
        logs: LogBuffer,
        adapter: TypeAdapter[Any],
        station: Station | None = None,
    ) -> None:
        """`station`: of a worker that has a part of a gang; it reports and hears through this."""
        self._service, self._claim, self._logs, self._adapter = service, claim, logs, adapter
        self._station = station
        self._folder = Path()
        self._reader: SpoolReader[Any] | None = None
        self._pending: deque[tuple[JobEvent, int]] = deque()
        self._upload: Upload | None = None
        self._uploaded_seq = -1
        self._child_ended = threading.Event()
        self._closed = threading.Event()
        self._interval = claim.lease_seconds / 4
        self._said_at = time.monotonic()
        self._say_not_before = 0.0
        self._pauses = pauses()
        # With what this thread's log lines carry: the job and the attempt.
        run = functools.partial(contextvars.copy_context().run, self._run)
        self._thread = threading.Thread(target=run, name="relay", daemon=True)

        self.over = threading.Event()
        self.stop_requested = False
        self.yield_requested = False
        self.is_reachable = True
        """The service answered when it was last spoken to."""
        self.outcome: JobEvent | None = None
        """The outcome event, once the service has stored it."""
        self.refusal: AttemptRefused | None = None
        """The job is no longer this attempt's."""
        self.failure: Exception | None = None
        """The relay itself could not go on."""

    def start(self) -> None:
        """From now on the lease is renewed."""
        self._thread.start()

    def follow(self, folder: Path, next_seq: int) -> None:
        """From now on the spool is reported as well, from `next_seq` on."""
        self._folder = folder
        self._reader = SpoolReader(folder / SPOOL_FILE, next_seq, adapter=self._adapter)

    def child_ended(self) -> None:
        """The spool and the logs grow no more; when all is reported the relay is `over`."""
        self._child_ended.set()

    def close(self) -> None:
        self._closed.set()
        if self._upload is not None:
            self._upload.cancel()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._closed.is_set() and not self._is_over():
                self._look()
                self._closed.wait(LOOK_SECONDS)
        except AttemptRefused as refusal:
            self.refusal = refusal
        except Exception as error:
            log.exception("the relay of job %d failed", self._claim.job_id)
            self.failure = error
        finally:
            self.over.set()

    def _is_over(self) -> bool:
        # Asked first: what the process wrote before its end is then seen by the read below.
        ended = self._child_ended.is_set()
        self._read_spool()
        return self.outcome is not None or (
            ended and not self._pending and self._logs.is_empty() and not self._has_station_news()
        )

    def _has_station_news(self) -> bool:
        return self._station is not None and self._station.has_news

    def _read_spool(self) -> None:
        if self._reader is None:
            return
        while len(self._pending) < MOST_EVENTS and sum(size for _, size in self._pending) < MOST_EVENT_CHARACTERS:
            events = self._reader.read(limit=READ_AT_ONCE)
            if not events:
                return
            self._pending.extend((event, len(event.model_dump_json())) for event in events)

    def _look(self) -> None:
        now = time.monotonic()
        if now < self._say_not_before:
            return
        lines = self._logs.offer(MOST_LINES)
        events = self._sayable(all_lines_fit=len(lines) < MOST_LINES)
        waited = now - self._said_at
        has_news = bool(events or lines) or self._has_station_news()
        has_news |= self._station is not None and self._station.awaits_news
        if waited >= self._interval or (has_news and (waited >= GATHER_SECONDS or self._child_ended.is_set())):
            self._say(events, lines)

    def _sayable(self, all_lines_fit: bool) -> list[JobEvent]:
        events: list[JobEvent] = []
        characters = 0
        for event, size in self._pending:
            if isinstance(event, Uploaded) and not self._is_stored(event):
                break
            if event.kind in OUTCOMES and not (self._child_ended.is_set() and all_lines_fit):
                break
            characters += size
            if events and characters > MOST_EVENT_CHARACTERS:
                break
            events.append(event)
        return events

    def _is_stored(self, event: Uploaded) -> bool:
        if event.seq <= self._uploaded_seq:
            return True
        if self._upload is None:
            self._upload = Upload(self._service, self._claim, file_of(self._folder, event), self._logs)
        if not self._upload.is_done():
            return False
        self._upload = None
        self._uploaded_seq = event.seq
        return True

    def _say(self, events: list[JobEvent], lines: list[LogLine]) -> None:
        try:
            content = {"attempt": self._claim.attempt, "events": events, "logs": lines}
            report = self._station and self._station.report()
            heartbeat = Heartbeat.model_validate(content | {"rank": report})
            answer = self._service.heartbeat(self._claim.job_id, heartbeat)
        except ServiceUnreachable as error:
            self._unreachable(error)
            return
        self._reachable()
        if self._station is not None and report is not None:
            self._station.told(report, answer.gang)
        self._logs.stored(answer.next_log_line)
        self._stored_before(answer.next_seq, events)
        self.stop_requested |= answer.command == "stop"
        self.yield_requested |= answer.command == "yield"

    def _stored_before(self, next_seq: int, sent: list[JobEvent]) -> None:
        if sent and sent[-1].kind in OUTCOMES and next_seq > sent[-1].seq:
            self.outcome = sent[-1]
        while self._pending and self._pending[0][0].seq < next_seq:
            self._pending.popleft()
        if self._pending and self._pending[0][0].seq > next_seq:
            # The service lost what it had acknowledged (a restored backup): report it again from the spool.
            log.warning("job %d: the service waits for event %d; reporting again", self._claim.job_id, next_seq)
            self._pending.clear()
            self.follow(self._folder, next_seq)

    def _reachable(self) -> None:
        self._said_at = time.monotonic()
        if not self.is_reachable:
            log.info("job %d: the service answers again", self._claim.job_id)
        self.is_reachable, self._pauses, self._say_not_before = True, pauses(), 0.0

    def _unreachable(self, error: ServiceUnreachable) -> None:
        if self.is_reachable:
            log.warning("job %d: the service cannot be reached; work goes on (%s)", self._claim.job_id, error)
        self.is_reachable = False
        self._say_not_before = time.monotonic() + min(next(self._pauses), self._interval)


def wait_until_over(relay: Relay, may_give_up: Callable[[], bool]) -> bool:
    """True when everything was reported; False when it was given up with something left to report."""
    while not relay.over.wait(LOOK_SECONDS):
        if may_give_up():
            return False
    return relay.refusal is None and relay.failure is None
