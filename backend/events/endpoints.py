"""The live history of a run, as server-sent events."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Header, Query
from fastapi.sse import EventSourceResponse

from phylon.backend.dependencies import ContextDep
from phylon.backend.events import stream
from phylon.backend.events.stream import Position
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.runs import service as runs
from phylon.contract.stream import StreamMessage

router = APIRouter(prefix="/runs/{id}/events", tags=["events"])

_POSITION = re.compile(r"(\d{1,9})-(\d{1,15})")


def get_position(
    after: Annotated[str | None, Query(description="`<attempt>-<seq>` of the last message that was seen.")] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Position | None:
    """Where the reader left off. A reconnecting browser's header is newer than the address it first opened."""
    given = last_event_id or after
    if not given:
        return None
    match = _POSITION.fullmatch(given)
    if match is None:
        raise Invalid(f"'{given}' is not the id of a message.", "Pass the id of the last message as <attempt>-<seq>.")
    return Position(attempt=int(match[1]), seq=int(match[2]))


def check_run(id: Id, context: ContextDep) -> None:
    """Answers 404 before the stream begins; a plain session dependency would hold its connection to the end."""
    with context.database.read() as session:
        runs.get(session, id)


@router.get(
    "",
    response_class=EventSourceResponse,
    responses=responses(NotFound, Invalid),
    dependencies=[Depends(check_run)],
)
async def stream_run_events(
    id: Id, context: ContextDep, position: Annotated[Position | None, Depends(get_position)]
) -> AsyncIterator[StreamMessage]:
    async for message in stream.follow(context, id, position):
        yield cast(Any, message)  # the annotation says what a message's data is, for the OpenAPI document
