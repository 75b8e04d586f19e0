"""Runtime studies over REST."""

from fastapi import APIRouter

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.dependencies import ContextDep, ViewerDep, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.payloads.endpoints import add_routes
from phylon.backend.queue.admission import NoWorkerFits
from phylon.backend.studies import service
from phylon.contract.stream import StudyStreamMessage
from phylon.contract.studies import StoredStudy, StudyFromYaml, StudyUpload

router = APIRouter(prefix="/studies", tags=["studies"])
add_routes(router, service.STUDIES, StudyStreamMessage)


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
