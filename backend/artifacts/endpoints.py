"""Files of runs over REST."""

from fastapi import APIRouter
from fastapi.responses import FileResponse

from phylon.backend.artifacts import service
from phylon.backend.dependencies import ContextDep, ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.files import file_response
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.artifacts import Artifact
from phylon.contract.base import Page

router = APIRouter(tags=["artifacts"])

FILE = file_response("application/octet-stream", "video/mp4")


@router.get("/runs/{id}/artifacts", responses=responses(NotFound))
def list_run_artifacts(id: Id, session: ReadSession, limit: Limit = 500, after: After = None) -> Page[Artifact]:
    """In the order in which they were stored."""
    return page_of(service.list_of_run(session, id), limit, after, key=lambda artifact: artifact.id)


@router.get("/artifacts/{id}/content", response_class=FileResponse, responses=FILE | responses(NotFound))
def download_artifact(id: Id, session: ReadSession, context: ContextDep) -> FileResponse:
    return service.content(session, context, id)
