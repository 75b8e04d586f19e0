"""Runtime studies over REST."""

from collections.abc import AsyncIterator
from typing import Any, cast

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.studies import repository, service, stream
from phylon.backend.studies.service import StudyActive, StudyNotActive
from phylon.contract.base import Page
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpdate, StudyUpload

router = APIRouter(prefix="/studies", tags=["studies"])


@router.post("", status_code=201, responses=responses(Invalid, NotFound))
def create_study(body: StudyFromYaml, session: WriteSession, once: OnceDep) -> StoredStudy:
    """Puts a study into the queue."""
    return once(body, StoredStudy, lambda: service.create(session, body))


@router.post("/upload", status_code=201, responses=responses(Invalid))
def upload_study(body: StudyUpload, session: WriteSession, once: OnceDep) -> StoredStudy:
    """Stores a study that was run by `phylon study`."""
    return once(body, StoredStudy, lambda: service.upload(session, body))


@router.get("")
def list_studies(session: ReadSession, limit: Limit = 100, after: After = None) -> Page[StudySummary]:
    """The newest first."""
    return service.list_page(session, limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_study(id: Id, session: ReadSession) -> StoredStudy:
    return service.get(session, id)


def check_study(id: Id, context: ContextDep) -> None:
    """Answers 404 before the stream begins; a plain session dependency would hold its connection to the end."""
    with context.database.read() as session:
        repository.get(session, id)


@router.get(
    "/{id}/events",
    response_class=EventSourceResponse,
    responses=responses(NotFound),
    dependencies=[Depends(check_study)],
)
async def stream_study_events(id: Id, context: ContextDep) -> AsyncIterator[StudyUpdate]:
    """All cells, then new ones as they come, until the study has ended."""
    async for message in stream.follow(context, id):
        yield cast(Any, message)  # the annotation says what a message's data is, for the OpenAPI document


@router.post("/{id}/stop", responses=responses(NotFound, StudyNotActive))
def stop_study(id: Id, session: WriteSession) -> StoredStudy:
    """What it has measured by then is kept."""
    return service.stop(session, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, StudyActive))
def delete_study(id: Id, session: WriteSession) -> None:
    service.delete(session, id)
