"""The audit log over REST, for admins of the service."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime
from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.rights import AdminOnly, require_admin
from phylon.backend.dependencies import ReadSession, ViewerDep, get_read_session
from phylon.backend.kit.errors import responses
from phylon.backend.kit.files import file_response
from phylon.backend.kit.parameters import LARGEST, After, Limit
from phylon.contract.accounts import AuditFilter, AuditRecord
from phylon.contract.base import Page

router = APIRouter(prefix="/accounts", tags=["accounts"])

# Until the whole answer is sent: a file shows one moment.
LastingSession = Annotated[Session, Depends(get_read_session, scope="request")]


Text = Annotated[str | None, Query(max_length=300)]
Moment = Annotated[AwareDatetime | None, Query()]


def get_filter(
    actor: Annotated[Text, Query(description="A part of their name, or of the e-mail address that was tried.")] = None,
    action: Annotated[Text, Query(description="`experiment.stop`, or `experiment` for all of that kind.")] = None,
    target: Annotated[Text, Query(description="`experiment 3`, as records have it.")] = None,
    project: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    since: Moment = None,
    until: Moment = None,
) -> AuditFilter:
    return AuditFilter(actor=actor, action=action, target=target, project=project, since=since, until=until)


FilterDep = Annotated[AuditFilter, Depends(get_filter)]


@router.get("/audit", responses=responses(AdminOnly))
def list_audit_records(
    session: ReadSession, viewer: ViewerDep, wanted: FilterDep, limit: Limit = 100, after: After = None
) -> Page[AuditRecord]:
    """The newest first."""
    require_admin(viewer)
    return audit.list_page(session, wanted, limit, after)


@router.get(
    "/audit.ndjson",
    response_class=StreamingResponse,
    responses=file_response("application/x-ndjson") | responses(AdminOnly),
)
def export_audit_records(session: LastingSession, viewer: ViewerDep, wanted: FilterDep) -> StreamingResponse:
    """All that is wanted, the newest first, one record per line."""
    require_admin(viewer)
    headers = {"Content-Disposition": 'attachment; filename="audit.ndjson"'}
    return StreamingResponse(audit.lines(session, wanted), media_type="application/x-ndjson", headers=headers)
