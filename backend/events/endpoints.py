"""The live history of a run, a study or an evaluation, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Query
from fastapi.sse import EventSourceResponse

from phylon.backend.dependencies import ContextDep, ViewerDep
from phylon.backend.evaluations import repository as evaluation_rows
from phylon.backend.events import stream
from phylon.backend.events.position import Position, get_position, get_positions
from phylon.backend.events.stream import Subject
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.models import Evaluation, Run, Study
from phylon.backend.runs import repository as run_rows
from phylon.backend.studies import repository as study_rows
from phylon.contract.protocol import JobKindName
from phylon.contract.stream import EvaluationStreamMessage, JobMessage, StreamMessage, StudyStreamMessage

router = APIRouter(tags=["events"], responses=responses(NotFound, Invalid))

_MOST_SUBJECTS = 200
Numbers = Annotated[str, Query(pattern=r"^(\d{1,15}(,\d{1,15})*)?$", description="Numbers, separated by commas.")]
PositionDep = Annotated[Position | None, Depends(get_position)]


class Following(NamedTuple):
    subjects: list[Subject]
    positions: list[Position | None]


def get_run_job(id: Id, context: ContextDep, viewer: ViewerDep) -> int:
    """Answers 404 before the stream begins; a plain session dependency would hold its connection to the end."""
    with context.database.read() as session:
        return run_rows.get(session, viewer, id).job_id


def get_study_job(id: Id, context: ContextDep, viewer: ViewerDep) -> int:
    with context.database.read() as session:
        return study_rows.get(session, viewer, id).job_id


def get_evaluation_job(id: Id, context: ContextDep, viewer: ViewerDep) -> int:
    with context.database.read() as session:
        return evaluation_rows.get(session, viewer, id).job_id


@router.get("/runs/{id}/events", response_class=EventSourceResponse)
async def stream_run_events(
    job_id: Annotated[int, Depends(get_run_job)], context: ContextDep, viewer: ViewerDep, position: PositionDep
) -> AsyncIterator[StreamMessage]:
    """The history after the position, then what happens, until the run has ended."""
    async for message in stream.follow(context, viewer, job_id, position):
        yield cast(Any, message)  # the annotation says what a message's data is, for the OpenAPI document


@router.get("/studies/{id}/events", response_class=EventSourceResponse)
async def stream_study_events(
    job_id: Annotated[int, Depends(get_study_job)], context: ContextDep, viewer: ViewerDep, position: PositionDep
) -> AsyncIterator[StudyStreamMessage]:
    """The history after the position, then what happens, until the study has ended."""
    async for message in stream.follow(context, viewer, job_id, position):
        yield cast(Any, message)


@router.get("/evaluations/{id}/events", response_class=EventSourceResponse)
async def stream_evaluation_events(
    job_id: Annotated[int, Depends(get_evaluation_job)], context: ContextDep, viewer: ViewerDep, position: PositionDep
) -> AsyncIterator[EvaluationStreamMessage]:
    """The history after the position, then what happens, until the evaluation has ended."""
    async for message in stream.follow(context, viewer, job_id, position):
        yield cast(Any, message)


def _numbers(text: str) -> list[int]:
    return [int(id) for id in text.split(",") if id]


def get_subjects(
    context: ContextDep,
    viewer: ViewerDep,
    positions: Annotated[list[Position | None] | None, Depends(get_positions)],
    runs: Numbers = "",
    studies: Numbers = "",
    evaluations: Numbers = "",
) -> Following:
    asked: list[tuple[JobKindName, type[Run] | type[Study] | type[Evaluation], list[int]]] = [
        ("run", Run, _numbers(runs)),
        ("study", Study, _numbers(studies)),
        ("evaluation", Evaluation, _numbers(evaluations)),
    ]
    wanted = sum(len(ids) for _, _, ids in asked)
    different = sum(len(set(ids)) for _, _, ids in asked)
    if not 0 < different == wanted <= _MOST_SUBJECTS:
        raise Invalid(
            f"A stream is asked for {wanted} runs, studies and evaluations, {different} of them different.",
            f"Name each of 1 to {_MOST_SUBJECTS} once.",
        )
    if positions is not None and len(positions) != wanted:
        raise Invalid(
            f"There are {len(positions)} positions for {wanted} runs, studies and evaluations.",
            "Pass the id of the last message, or the `stream` of each run, then of each study, then of each "
            "evaluation, separated by commas.",
        )
    subjects: list[Subject] = []
    with context.database.read() as session:
        for kind, model, ids in asked:
            found = jobs.of_payloads(session, viewer, model, ids)
            subjects += [Subject(kind, id, found.get(id)) for id in ids]
    return Following(subjects, positions or [None] * wanted)


@router.get("/events", response_class=EventSourceResponse)
async def stream_events(
    context: ContextDep, viewer: ViewerDep, following: Annotated[Following, Depends(get_subjects)]
) -> AsyncIterator[JobMessage]:
    """Many runs, studies and evaluations in one stream, until all have ended. One that is deleted, or that the viewer
    may not see, is reported as `gone`."""
    async for message in stream.follow_all(context, viewer, following.subjects, following.positions):
        yield cast(Any, message)
