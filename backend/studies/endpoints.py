"""Runtime studies over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.studies import service
from phylon.backend.studies.service import StudyActive, StudyNotActive
from phylon.contract.base import Page
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpload

router = APIRouter(prefix="/studies", tags=["studies"])


@router.post("", status_code=201, responses=responses(Invalid, NotFound))
def create_study(body: StudyFromYaml, session: WriteSession, context: ContextDep, once: OnceDep) -> StoredStudy:
    """Puts a study into the queue."""
    return once(body, StoredStudy, lambda: service.create(session, context, body))


@router.post("/upload", status_code=201, responses=responses(Invalid))
def upload_study(body: StudyUpload, session: WriteSession, context: ContextDep, once: OnceDep) -> StoredStudy:
    """Stores a study that was run by `phylon study`."""
    return once(body, StoredStudy, lambda: service.upload(session, context, body))


@router.get("")
def list_studies(session: ReadSession, limit: Limit = 100, after: After = None) -> Page[StudySummary]:
    """The newest first."""
    return service.list_page(session, limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_study(id: Id, session: ReadSession) -> StoredStudy:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, StudyNotActive))
def stop_study(id: Id, session: WriteSession, context: ContextDep) -> StoredStudy:
    """What it has measured by then is kept."""
    return service.stop(session, context, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, StudyActive))
def delete_study(id: Id, session: WriteSession, context: ContextDep) -> None:
    service.delete(session, context, id)
