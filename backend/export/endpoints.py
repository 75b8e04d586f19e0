"""Metrics and lineage of a run as files over REST, with every value that is stored."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session

from phylon.backend.dependencies import ViewerDep, get_read_session
from phylon.backend.export import service
from phylon.backend.export.service import FormatUnavailable
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.files import file_response
from phylon.backend.kit.parameters import Id
from phylon.export.formats import Format, TableName

router = APIRouter(prefix="/runs/{id}/export", tags=["export"])

MEDIA_TYPES: dict[Format, str] = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
FILES = file_response("text/csv", "application/vnd.apache.parquet")

# Unlike elsewhere, the transaction lasts until the whole answer is sent: a file shows one moment of the run, even when
# its history is cut back meanwhile.
LastingSession = Annotated[Session, Depends(get_read_session, scope="request")]


@router.get(
    "/{table}.{format}", response_class=StreamingResponse, responses=FILES | responses(NotFound, FormatUnavailable)
)
def export_run(
    id: Id, table: TableName, format: Format, session: LastingSession, viewer: ViewerDep
) -> StreamingResponse:
    name, chunks = service.chunks(session, viewer, id, table, format)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}  # names of experiments need no escaping
    return StreamingResponse(chunks, media_type=MEDIA_TYPES[format], headers=headers)
