"""The scheduler: a thread of the API process that looks at the queue about twice a second.

Several API processes may each run one: they take turns by a lock, and every decision is a conditional update.
"""

import threading
import time

import structlog
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.context import Context
from phylon.backend.queue import repository, service
from phylon.backend.queue.broker import Broker, BrokerAway

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class Scheduler:
    def __init__(self, context: Context, broker: Broker) -> None:
        self._context = context
        self._broker = broker
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)
        self._last_tick = float("-inf")
        self._listening_since = 0.0
        self._database_is_there = True

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._ended.wait(self._context.settings.tick_seconds):
            try:
                self.tick()
            except SQLAlchemyError as error:
                self._note_database(is_there=False, error=str(error.args[0] if error.args else error))
            except Exception:
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
        reachable = self._broker.reachable()
        chosen: list[service.Dispatch] = []
        with self._context.database.write() as session:
            if not repository.take_turn(session):
                return
            if self._has_listened_for_a_lease():
                service.give_up_lost(session, self._context)
            service.take_back_unclaimed(session, self._context)
            if reachable:
                chosen = service.choose(session, self._context)
        for dispatch in chosen:
            self._send(dispatch)

    def _has_listened_for_a_lease(self) -> bool:
        """Workers could not renew while nobody listened (not started, stopped, machine asleep), so after such a time
        they get a whole lease to be heard again."""
        now, lease = time.monotonic(), self._context.settings.lease_seconds
        if now - self._last_tick > max(lease / 2, 4 * self._context.settings.tick_seconds):
            self._listening_since = now
        self._last_tick = now
        return now - self._listening_since >= lease

    def _send(self, dispatch: service.Dispatch) -> None:
        try:
            self._broker.send(dispatch.job_id, dispatch.device)
            log.info("job_dispatched", job_id=dispatch.job_id, device=dispatch.device)
        except BrokerAway as error:
            log.warning("broker_away", job_id=dispatch.job_id, error=str(error))
            with self._context.database.write() as session:
                service.take_back(session, self._context, dispatch)
