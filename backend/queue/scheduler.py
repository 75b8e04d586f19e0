"""The scheduler: a thread of the API process that looks at the queue about twice a second.

Several API processes may each run one: they take turns by a lock, and every decision is a conditional update.
"""

import threading
import time
from datetime import timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.queue import repository, service
from phylon.backend.queue.broker import Broker, BrokerAway
from phylon.backend.queue.expectation import expect_waiting
from phylon.backend.queue.snapshot import History, read_history

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_LOOK_AROUND = timedelta(minutes=1)
_JUMPS_PER_LEASE = 5
"""Clocks are corrected by a little now and then; from such a part of a lease on it is a jump."""


class Scheduler:
    def __init__(self, context: Context, broker: Broker) -> None:
        self._context = context
        self._broker = broker
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)
        self._last_tick = float("-inf")
        self._last_wall = float("inf")
        self._history: History | None = None
        self._listening_since = 0.0
        self._was_set_back = False
        self._database_is_there = True

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._ended.wait(self._context.settings.tick_seconds):
            self.try_tick()

    def try_tick(self) -> None:
        """A tick, whatever comes of it."""
        try:
            self.tick()
        except SQLAlchemyError as error:
            self._listening_since = time.monotonic()  # nobody could renew a lease while the database was away
            self._context.meters.errors.labels("database").inc()
            self._note_database(is_there=False, error=str(error.args[0] if error.args else error))
        except Exception:
            self._context.meters.errors.labels("scheduler").inc()
            log.exception("scheduler_tick_failed")
        else:
            self._note_database(is_there=True)

    def _note_database(self, *, is_there: bool, **details: str) -> None:
        """Said once when it goes and once when it is back, not at every tick."""
        if is_there and not self._database_is_there:
            log.info("scheduler_has_database_again")
        elif not is_there and self._database_is_there:
            log.warning(
                "scheduler_without_database", remedy="run `python -m phylon.backend.migrate` if it is new", **details
            )
        self._database_is_there = is_there

    def tick(self) -> None:
        began = time.perf_counter()
        reachable, may_give_up = self._broker.reachable(), self._has_listened_for_a_lease()
        chosen: list[service.Dispatch] = []
        with self._context.database.write() as session:
            if not repository.take_turn(session):
                self._context.meters.turns_left.inc()
                return
            if self._was_set_back:
                service.forget_future(session, self._context)
            if may_give_up:
                service.give_up_lost(session, self._context)
                service.give_up_incomplete(session, self._context)
            service.take_back_unclaimed(session, self._context)
            if reachable:
                chosen = service.choose(session, self._context, self._look_around(session))
        self._was_set_back = False
        for dispatch in chosen:
            self._send(dispatch)
        self._context.meters.ticks.observe(time.perf_counter() - began)

    def _look_around(self, session: Session) -> History:
        """What changes slowly is counted once a minute."""
        now = clock.now()
        if self._history is None or abs(now - self._history.read_at) > _LOOK_AROUND:
            expect_waiting(session)
            self._history = read_history(session, now)
        return self._history

    def _has_listened_for_a_lease(self) -> bool:
        """Workers could not renew while nobody listened (not started, stopped, machine asleep), so after such a time
        they get a whole lease to be heard again. So they do when the clock was set forward: then all leases would seem
        to have run out at once. Whether it was set, forward or back, is seen by a clock that nobody can set."""
        settings = self._context.settings
        now, wall = time.monotonic(), clock.now().timestamp()
        passed, shown = now - self._last_tick, wall - self._last_wall
        has_slept = passed > max(settings.lease_seconds / 2, 4 * settings.tick_seconds)
        has_jumped = abs(shown - passed) > settings.lease_seconds / _JUMPS_PER_LEASE
        if has_slept or has_jumped:
            self._listening_since = now
        if has_jumped and passed < float("inf"):
            self._was_set_back |= shown < passed
            log.warning("clock_jumped", seconds=round(shown - passed, 1))
        self._last_tick, self._last_wall = now, wall
        return now - self._listening_since >= settings.lease_seconds

    def _send(self, dispatch: service.Dispatch) -> None:
        try:
            self._broker.send(dispatch.job_id, dispatch.worker_id)
            log.info("job_dispatched", job_id=dispatch.job_id, worker_id=dispatch.worker_id)
        except BrokerAway as error:
            log.warning("broker_away", job_id=dispatch.job_id, error=str(error))
            with self._context.database.write() as session:
                service.take_back(session, self._context, dispatch)
