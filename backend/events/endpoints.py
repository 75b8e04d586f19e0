"""The live history of a run, or of many jobs, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Query
from fastapi.sse import EventSourceResponse

from phylon.backend.dependencies import ContextDep, ViewerDep
from phylon.backend.events import stream
from phylon.backend.events.position import Position, PositionDep, get_positions
from phylon.backend.events.stream import Subject
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.models import EnvironmentCheck, Evaluation, Payload, Run, Study
from phylon.backend.payloads import repository as payloads
from phylon.backend.runs import repository as run_rows
from phylon.contract.protocol import JobKindName
from phylon.contract.stream import JobMessage, StreamMessage

router = APIRouter(tags=["events"], responses=responses(NotFound, Invalid))

_MOST_SUBJECTS = 200
Numbers = Annotated[str, Query(pattern=r"^(\d{1,15}(,\d{1,15})*)?$", description="Numbers, separated by commas.")]


class Following(NamedTuple):
    subjects: list[Subject]
    positions: list[Position | None]


def get_run_job(id: Id, context: ContextDep, viewer: ViewerDep) -> int:
    """Answers 404 before the stream begins; a plain session dependency would hold its connection to the end."""
    with context.database.read() as session:
        return run_rows.get(session, viewer, id).job_id


@router.get("/runs/{id}/events", response_class=EventSourceResponse)
async def stream_run_events(
    job_id: Annotated[int, Depends(get_run_job)], context: ContextDep, viewer: ViewerDep, position: PositionDep
) -> AsyncIterator[StreamMessage]:
    """The history after the position, then what happens, until the run has ended."""
    async for message in stream.follow(context, viewer, job_id, position):
        yield cast(Any, message)  # the annotation says what a message's data is, for the OpenAPI document


def _read_numbers(written: str) -> list[int]:
    return [int(number) for number in written.split(",") if number]


def get_subjects(
    context: ContextDep,
    viewer: ViewerDep,
    positions: Annotated[list[Position | None] | None, Depends(get_positions)],
    runs: Numbers = "",
    studies: Numbers = "",
    evaluations: Numbers = "",
    environment_checks: Numbers = "",
) -> Following:
    asked: list[tuple[JobKindName, type[Run | Payload], list[int]]] = [
        ("run", Run, _read_numbers(runs)),
        ("study", Study, _read_numbers(studies)),
        ("evaluation", Evaluation, _read_numbers(evaluations)),
        ("environment_check", EnvironmentCheck, _read_numbers(environment_checks)),
    ]
    wanted = sum(len(ids) for _, _, ids in asked)
    different = sum(len(set(ids)) for _, _, ids in asked)
    if not 0 < different == wanted <= _MOST_SUBJECTS:
        raise Invalid(
            f"A stream is asked for {wanted} things, {different} of them different.",
            f"Name each of 1 to {_MOST_SUBJECTS} once.",
        )
    if positions is not None and len(positions) != wanted:
        raise Invalid(
            f"There are {len(positions)} positions for {wanted} things that are followed.",
            "Pass the id of the last message, or the `stream` of each run, then of each study, evaluation and check of "
            "an environment, separated by commas.",
        )
    subjects: list[Subject] = []
    with context.database.read() as session:
        for kind, model, ids in asked:
            found = payloads.jobs_of(session, viewer, model, ids)
            subjects += [Subject(kind, id, found.get(id)) for id in ids]
    return Following(subjects, positions or [None] * wanted)


@router.get("/events", response_class=EventSourceResponse)
async def stream_events(
    context: ContextDep, viewer: ViewerDep, following: Annotated[Following, Depends(get_subjects)]
) -> AsyncIterator[JobMessage]:
    """Many runs, studies, evaluations and checks in one stream, until all have ended. One that is deleted, or that the
    viewer may not see, is reported as `gone`."""
    async for message in stream.follow_all(context, viewer, following.subjects, following.positions):
        yield cast(Any, message)
