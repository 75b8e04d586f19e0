"""The live history of a run or a study, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse

from phylon.backend.dependencies import ContextDep
from phylon.backend.events import stream
from phylon.backend.events.position import Position, get_position
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.runs import repository as runs
from phylon.backend.studies import repository as studies
from phylon.contract.stream import StreamMessage, StudyStreamMessage

router = APIRouter(tags=["events"], responses=responses(NotFound, Invalid))

PositionDep = Annotated[Position | None, Depends(get_position)]


def get_run_job(id: Id, context: ContextDep) -> int:
    """Answers 404 before the stream begins; a plain session dependency would hold its connection to the end."""
    with context.database.read() as session:
        return runs.get(session, id).job_id


def get_study_job(id: Id, context: ContextDep) -> int:
    with context.database.read() as session:
        return studies.get(session, id).job_id


@router.get("/runs/{id}/events", response_class=EventSourceResponse)
async def stream_run_events(
    job_id: Annotated[int, Depends(get_run_job)], context: ContextDep, position: PositionDep
) -> AsyncIterator[StreamMessage]:
    """The history after the position, then what happens, until the run has ended."""
    async for message in stream.follow(context, job_id, position):
        yield cast(Any, message)  # the annotation says what a message's data is, for the OpenAPI document


@router.get("/studies/{id}/events", response_class=EventSourceResponse)
async def stream_study_events(
    job_id: Annotated[int, Depends(get_study_job)], context: ContextDep, position: PositionDep
) -> AsyncIterator[StudyStreamMessage]:
    """The history after the position, then what happens, until the study has ended."""
    async for message in stream.follow(context, job_id, position):
        yield cast(Any, message)
