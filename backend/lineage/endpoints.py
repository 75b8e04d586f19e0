"""Lineage over REST."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.lineage import descent, service
from phylon.backend.lineage.descent import MemberUnknown, NoSchedule
from phylon.backend.lineage.schemas import RayFiles, RunLineage
from phylon.backend.lineage.summary_schemas import LineageSummaryRead, ScheduleRead

router = APIRouter(tags=["lineage"])

MemberQuery = Annotated[str, Query(pattern=r"^(best|\d{1,6})$", description="`best`, or the number of a member.")]


def _file(media_type: str) -> dict[int | str, dict[str, Any]]:
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"content": content, "description": "The file."}}


@router.get("/runs/{id}/lineage", responses=responses(NotFound))
def get_run_lineage(id: Id, session: ReadSession) -> RunLineage:
    return service.read(session, id)


@router.get("/runs/{id}/lineage/summary", responses=responses(NotFound))
def get_lineage_summary(id: Id, session: ReadSession) -> LineageSummaryRead:
    return descent.summary(session, id)


@router.get("/runs/{id}/schedule", responses=responses(NotFound, MemberUnknown, NoSchedule))
def get_run_schedule(id: Id, session: ReadSession, member: MemberQuery = "best") -> ScheduleRead:
    return descent.schedule(session, id, "best" if member == "best" else int(member))


@router.get(
    "/runs/{id}/lineage.newick", response_class=Response, responses=_file("text/x-newick") | responses(NotFound)
)
def download_newick(id: Id, session: ReadSession) -> Response:
    return _attachment(descent.as_newick(session, id), f"run-{id}.nwk", "text/x-newick")


@router.get(
    "/runs/{id}/lineage.ray.zip", response_class=Response, responses=_file("application/zip") | responses(NotFound)
)
def download_ray_logs(id: Id, session: ReadSession) -> Response:
    return _attachment(descent.as_ray_logs(session, id), f"run-{id}-ray.zip", "application/zip")


@router.post("/lineage/import")
def import_ray_lineage(logs: RayFiles) -> RunLineage:
    """What Ray's files tell, to be drawn; nothing is stored."""
    return descent.of_ray_logs(logs.files)


def _attachment(content: str | bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
