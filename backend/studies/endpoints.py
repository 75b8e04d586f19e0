"""Runtime studies over REST."""

from fastapi import APIRouter

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.accounts.rights import NotYours
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.jobs.action_endpoints import add_actions
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.queue.admission import NoWorkerFits
from phylon.backend.studies import service
from phylon.backend.studies.service import StudyActive
from phylon.contract.base import Page
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudySummary, StudyUpload

router = APIRouter(prefix="/studies", tags=["studies"])
add_actions(router, "study", StoredStudy, service.act)


@router.post("", status_code=201, responses=responses(Invalid, NoWorkerFits, NotFound, NotMember))
def create_study(
    body: StudyFromYaml, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> StoredStudy:
    """Puts a study into the queue."""
    return once(body, StoredStudy, lambda: service.create(session, context, viewer, body))


@router.post("/upload", status_code=201, responses=responses(Invalid, NotMember))
def upload_study(
    body: StudyUpload, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> StoredStudy:
    """Stores a study that was run by `phylon study`."""
    return once(body, StoredStudy, lambda: service.upload(session, context, viewer, body))


@router.get("")
def list_studies(
    session: ReadSession, viewer: ViewerDep, limit: Limit = 100, after: After = None
) -> Page[StudySummary]:
    """The newest first."""
    return service.list_page(session, viewer, limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_study(id: Id, session: ReadSession, viewer: ViewerDep) -> StoredStudy:
    return service.get(session, viewer, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, NotYours, StudyActive))
def delete_study(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.delete(session, viewer, id)
