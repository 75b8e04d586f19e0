"""Files that workers store and take up again."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from phylon.backend.artifacts import repository, service, upload
from phylon.backend.artifacts.download import RangeWrong
from phylon.backend.artifacts.service import UploadDamaged
from phylon.backend.artifacts.storage import StorageFull
from phylon.backend.artifacts.upload import File, PartMissing
from phylon.backend.dependencies import ContextDep, ReadSession, WorkerDep, require_job_of_worker, require_worker
from phylon.backend.kit.errors import NotFound, StaleAttempt, Unauthorized, responses
from phylon.backend.kit.files import BINARY, file_response
from phylon.backend.kit.parameters import LARGEST, Id, Number
from phylon.contract.protocol import ArtifactStored, UploadState

router = APIRouter(
    prefix="/worker", tags=["worker"], dependencies=[Depends(require_worker)], responses=responses(Unauthorized)
)

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
Attempt = Annotated[int, Query(ge=1, le=LARGEST)]
Sha256 = Annotated[str, Query(pattern=r"^[0-9a-f]{64}$")]


@router.put(
    "/jobs/{id}/artifacts/{name}",
    dependencies=[Depends(require_job_of_worker)],
    responses=responses(NotFound, StaleAttempt, PartMissing, UploadDamaged, StorageFull),
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}},
)
async def upload_artifact(
    id: Id,
    name: Name,
    attempt: Attempt,
    sha256: Sha256,
    step: Number,
    request: Request,
    context: ContextDep,
    offset: Number = 0,
    total: Number | None = None,
) -> ArtifactStored:
    """A part of a file that begins at `offset`. Without `total`, the length of the file, this part is the last."""
    file = File(job_id=id, attempt=attempt, name=name, sha256=sha256, step=step)
    return await upload.receive(context, request.stream(), file, offset, total)


@router.get(
    "/jobs/{id}/artifacts/{name}",
    dependencies=[Depends(require_job_of_worker)],
    responses=responses(NotFound, StaleAttempt),
)
def get_upload(id: Id, name: Name, attempt: Attempt, sha256: Sha256, context: ContextDep) -> UploadState:
    """How much of the file is here, so that an interrupted upload goes on there."""
    return upload.find(context, File(job_id=id, attempt=attempt, name=name, sha256=sha256, step=0))


@router.get(
    "/artifacts/{id}/content",
    response_class=Response,
    responses=file_response("application/octet-stream") | responses(NotFound, RangeWrong),
)
def download_checkpoint(
    id: Id, request: Request, session: ReadSession, context: ContextDep, worker: WorkerDep
) -> Response:
    return service.content(context, repository.get_of_worker(session, worker, id), request)
