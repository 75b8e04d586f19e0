"""The sender: a thread of the API process that empties the outbox. Several API processes may each have one.

A message is taken by setting when another sender may take it over, and marked after it was sent. A sender that dies in
between leaves it to be sent once more, under the same id: messages arrive at least once.
"""

import asyncio
import threading
from datetime import timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.webhooks import repository
from phylon.backend.webhooks.sending import TRY_SECONDS, Message, Outcome, send

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0
AT_ONCE = 20
TAKEN = timedelta(seconds=6 * TRY_SECONDS)
"""Then another sender takes a message over."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=10), timedelta(hours=2)
PATIENCE = timedelta(days=1)
"""A message that could not be delivered for so long is given up."""


class Sender:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=TRY_SECONDS + 5)

    def _run(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            try:
                while self.send_due() == AT_ONCE and not self._ended.is_set():
                    pass
            except SQLAlchemyError:
                continue  # the scheduler reports a database that is away
            except Exception:
                log.exception("webhook_sender_failed")

    def send_due(self) -> int:
        """Sends what is due, side by side, so that one slow receiver holds up nobody else; how many there were."""
        messages = self._take()
        if messages:
            for message, outcome in zip(messages, asyncio.run(self._send(messages)), strict=True):
                self._mark(message, outcome)
        return len(messages)

    def _take(self) -> list[Message]:
        with self._context.database.write() as session:
            deliveries = repository.due(session, clock.now(), AT_ONCE)
            for delivery in deliveries:
                delivery.tries += 1
                delivery.next_try_at = clock.now() + TAKEN
            return [
                Message(each.id, each.message_id, each.webhook.url, each.webhook.secret, each.body)
                for each in deliveries
            ]

    async def _send(self, messages: list[Message]) -> list[Outcome]:
        allow_private = self._context.settings.webhook_allow_private
        return await asyncio.gather(*(send(message, allow_private=allow_private) for message in messages))

    def _mark(self, message: Message, outcome: Outcome) -> None:
        with self._context.database.write() as session:
            delivery = repository.find_delivery(session, message.delivery_id)
            if delivery is None:
                return
            delivery.last_status, delivery.last_error = outcome
            now, pause = clock.now(), pause_after(delivery.tries)
            if outcome.error is None:
                delivery.delivered_at, delivery.next_try_at = now, None
            elif now + pause > delivery.created_at + PATIENCE:
                delivery.dead_at, delivery.next_try_at = now, None
            else:
                delivery.next_try_at = now + pause
            result = "delivered" if outcome.error is None else "dead" if delivery.dead_at else "failed"
        self._context.meters.webhook_tries.labels(result).inc()
        if outcome.error is not None:
            log.warning("webhook_not_delivered", message_id=message.message_id, result=result, error=outcome.error)


def pause_after(tries: int) -> timedelta:
    """Soon at first, then patient; 20 tries or so within the day."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(tries - 1, 20))
