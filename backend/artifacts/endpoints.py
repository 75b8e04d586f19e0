"""Files of runs over REST."""

from fastapi import APIRouter
from fastapi.responses import FileResponse

from phylon.backend.artifacts import service
from phylon.backend.artifacts.schemas import BYTES, ArtifactRead
from phylon.backend.dependencies import ContextDep, ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id

router = APIRouter(tags=["artifacts"])


@router.get("/runs/{id}/artifacts", responses=responses(NotFound))
def list_run_artifacts(id: Id, session: ReadSession) -> list[ArtifactRead]:
    return service.list_of_run(session, id)


@router.get("/artifacts/{id}/content", response_class=FileResponse, responses=BYTES | responses(NotFound))
def download_artifact(id: Id, session: ReadSession, context: ContextDep) -> FileResponse:
    return service.content(session, context, id)
