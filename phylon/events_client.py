"""What happens in runs, while it happens, as methods of `phylon.Client`."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from urllib.parse import urlencode

import httpx
from httpx_sse import EventSource, ServerSentEvent

from phylon.connection import Connection
from phylon.contract.events import EVENT_KINDS, RunEvent, run_event
from phylon.contract.runs import Run
from phylon.contract.stream import Rewind
from phylon.errors import ApiError, PhylonUnreachable

_PAUSE_SECONDS = 0.5
"""Between two connections."""


class EventsClient(Connection):
    def watch(self, run_id: int, after: str | None = None, patience: float = 60.0) -> Iterator[RunEvent | Rewind | Run]:
        """What happens in a run, from its beginning (or after that message id) until it ends.

        Yields its events; a `Run` whenever status or progress changes; and a `Rewind` when history was cut back because
        the run resumed from a checkpoint: forget every event numbered `seq` or above. A lost connection is taken up
        again where it broke; when the service stays away for `patience` seconds, `PhylonUnreachable` is raised.
        """
        position, status = after, None

        def connect() -> AbstractContextManager[httpx.Response]:
            headers = {"Last-Event-ID": position} if position else {}
            return self._transport.stream(f"/runs/{run_id}/events", headers)

        for message in self._messages(connect, patience):
            if message is not None:
                position = message.id or position
                said = _understand(message.event, message.data)
                if isinstance(said, Run):
                    status = said
                if said is not None:
                    yield said
            elif status is not None and status.ended:
                return

    def watch_all(
        self, run_ids: Iterable[int], patience: float = 60.0
    ) -> Iterator[tuple[int, RunEvent | Rewind | Run | None]]:
        """What happens in many runs, over one connection, until all have ended: the number of a run and what `watch`
        would yield, or None for a run that was deleted or that you may not see."""
        waiting: dict[int, str] = dict.fromkeys(run_ids, "")

        def connect() -> AbstractContextManager[httpx.Response]:
            query = urlencode({"runs": ",".join(map(str, waiting)), "after": ",".join(waiting.values())})
            return self._transport.stream(f"/events?{query}")

        for message in self._messages(connect, patience) if waiting else ():
            if message is None:
                continue
            said = json.loads(message.data)
            run_id, understood = said["id"], _understand(message.event, json.dumps(said["message"]))
            if understood is None and message.event != "gone":
                continue
            yield run_id, understood
            waiting[run_id] = said["position"] or waiting[run_id]
            if understood is None or (isinstance(understood, Run) and understood.ended):
                del waiting[run_id]
                if not waiting:
                    return

    def _messages(
        self, connect: Callable[[], AbstractContextManager[httpx.Response]], patience: float
    ) -> Iterator[ServerSentEvent | None]:
        """Messages of one stream after another; None where the service ended one in order, which it does once a run
        has ended and all of its history was sent."""
        lost_since: float | None = None
        while not self._transport.closed:
            try:
                with connect() as answer:
                    lost_since = None
                    yield from EventSource(answer).iter_sse()
                yield None
            except (PhylonUnreachable, ApiError) as error:
                if self._transport.closed:
                    return
                if isinstance(error, ApiError) and error.status < 500:
                    raise
                lost_since = lost_since or time.monotonic()
                if time.monotonic() - lost_since > patience:
                    raise
            time.sleep(_PAUSE_SECONDS)


def _understand(event: str, data: str) -> RunEvent | Rewind | Run | None:
    match event:
        case "rewind":
            return Rewind.model_validate_json(data, extra="ignore")
        case "status":
            return Run.model_validate_json(data, extra="ignore")
        case kind if kind in EVENT_KINDS:
            return run_event.validate_json(data, extra="ignore")
        case _:  # a kind that a newer service sends
            return None
