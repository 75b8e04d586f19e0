"""Runtime studies over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id, Offset
from phylon.backend.studies import service
from phylon.backend.studies.schemas import StudyFromYaml, StudyRead, StudySummary, StudyUpload
from phylon.backend.studies.service import StudyActive, StudyNotActive

router = APIRouter(prefix="/studies", tags=["studies"])


@router.post("", status_code=201, responses=responses(Invalid, NotFound))
def create_study(body: StudyFromYaml, session: WriteSession, context: ContextDep) -> StudyRead:
    """Puts a study into the queue."""
    return service.create(session, context, body)


@router.post("/upload", status_code=201, responses=responses(Invalid))
def upload_study(body: StudyUpload, session: WriteSession, context: ContextDep) -> StudyRead:
    """Stores a study that was run by `phylon study`."""
    return service.upload(session, context, body)


@router.get("")
def list_studies(
    session: ReadSession, limit: Annotated[int, Query(ge=1, le=500)] = 100, offset: Offset = 0
) -> list[StudySummary]:
    """The newest first."""
    return service.list_newest(session, limit, offset)


@router.get("/{id}", responses=responses(NotFound))
def get_study(id: Id, session: ReadSession) -> StudyRead:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, StudyNotActive))
def stop_study(id: Id, session: WriteSession, context: ContextDep) -> StudyRead:
    """What it has measured by then is kept."""
    return service.stop(session, context, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, StudyActive))
def delete_study(id: Id, session: WriteSession, context: ContextDep) -> None:
    service.delete(session, context, id)
