"""Files that workers store and take up again."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import FileResponse

from phylon.backend.artifacts import service, upload
from phylon.backend.artifacts.service import UploadDamaged
from phylon.backend.dependencies import ContextDep, ReadSession, require_worker
from phylon.backend.kit.errors import NotFound, StaleAttempt, Unauthorized, responses
from phylon.backend.kit.files import BINARY, file_response
from phylon.backend.kit.parameters import LARGEST, Id, Number
from phylon.contract.protocol import ArtifactStored

router = APIRouter(
    prefix="/worker", tags=["worker"], dependencies=[Depends(require_worker)], responses=responses(Unauthorized)
)


@router.put(
    "/runs/{id}/artifacts/{name}",
    responses=responses(NotFound, StaleAttempt, UploadDamaged),
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}},
)
async def upload_artifact(
    id: Id,
    name: Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")],
    attempt: Annotated[int, Query(ge=1, le=LARGEST)],
    sha256: Annotated[str, Query(pattern=r"^[0-9a-f]{64}$")],
    step: Number,
    request: Request,
    context: ContextDep,
) -> ArtifactStored:
    return await upload.receive(
        context, request.stream(), run_id=id, name=name, attempt=attempt, sha256=sha256, step=step
    )


@router.get(
    "/artifacts/{id}/content",
    response_class=FileResponse,
    responses=file_response("application/octet-stream") | responses(NotFound),
)
def download_checkpoint(id: Id, session: ReadSession, context: ContextDep) -> FileResponse:
    return service.content(session, context, id)
