"""Files of runs over REST."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from phylon.backend.artifacts import repository, service
from phylon.backend.artifacts.download import RangeWrong
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.files import file_response
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.artifacts import Artifact
from phylon.contract.base import Page

router = APIRouter(tags=["artifacts"])

FILE = file_response("application/octet-stream", "video/mp4", "application/zip")


@router.get("/runs/{id}/artifacts", responses=responses(NotFound))
def list_run_artifacts(
    id: Id, session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None
) -> Page[Artifact]:
    """In the order in which they were stored."""
    return page_of(service.list_of_run(session, viewer, id), limit, after, key=lambda artifact: artifact.id)


@router.get("/artifacts/{id}/content", response_class=Response, responses=FILE | responses(NotFound, RangeWrong))
def download_artifact(
    id: Id, request: Request, session: ReadSession, context: ContextDep, viewer: ViewerDep
) -> Response:
    """Whole, or the range of bytes that is asked for."""
    return service.content(context, repository.get(session, viewer, id), request)
