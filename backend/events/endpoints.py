"""The live history of a run or a study, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Query
from fastapi.sse import EventSourceResponse

from phylon.backend.dependencies import ContextDep, ViewerDep
from phylon.backend.events import stream
from phylon.backend.events.position import Position, get_position, get_positions
from phylon.backend.events.stream import Subject
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.models import Run, Study
from phylon.backend.runs import repository as run_rows
from phylon.backend.studies import repository as study_rows
from phylon.contract.stream import JobMessage, StreamMessage, StudyStreamMessage

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


def get_subjects(
    context: ContextDep,
    viewer: ViewerDep,
    positions: Annotated[list[Position | None] | None, Depends(get_positions)],
    runs: Numbers = "",
    studies: Numbers = "",
) -> Following:
    run_ids, study_ids = ([int(id) for id in ids.split(",") if id] for ids in (runs, studies))
    wanted, different = len(run_ids) + len(study_ids), len(set(run_ids)) + len(set(study_ids))
    if not 0 < different == wanted <= _MOST_SUBJECTS:
        raise Invalid(
            f"A stream is asked for {wanted} runs and studies, {different} of them different.",
            f"Name each of 1 to {_MOST_SUBJECTS} once.",
        )
    if positions is not None and len(positions) != wanted:
        raise Invalid(
            f"There are {len(positions)} positions for {wanted} runs and studies.",
            "Pass the id of the last message, or the `stream` of each run and then of each study, separated by commas.",
        )
    with context.database.read() as session:
        run_jobs, study_jobs = (
            jobs.of_payloads(session, viewer, model, ids) for model, ids in ((Run, run_ids), (Study, study_ids))
        )
    subjects = [Subject("run", id, run_jobs.get(id)) for id in run_ids]
    subjects += [Subject("study", id, study_jobs.get(id)) for id in study_ids]
    return Following(subjects, positions or [None] * wanted)


@router.get("/events", response_class=EventSourceResponse)
async def stream_events(
    context: ContextDep, viewer: ViewerDep, following: Annotated[Following, Depends(get_subjects)]
) -> AsyncIterator[JobMessage]:
    """Many runs and studies in one stream, until all have ended. One that is deleted, or that the viewer may not see,
    is reported as `gone`."""
    async for message in stream.follow_all(context, viewer, following.subjects, following.positions):
        yield cast(Any, message)
