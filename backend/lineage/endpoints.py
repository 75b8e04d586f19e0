"""Lineage over REST: of a run, and of one that comes from elsewhere, which is analysed and not stored."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from phylon.backend.dependencies import ReadSession, ViewerDep, changes_nothing
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.files import file_response
from phylon.backend.kit.parameters import LARGEST, Id
from phylon.backend.lineage import service
from phylon.backend.lineage.service import MemberUnknown, NoSchedule, SpanUnknown
from phylon.contract.lineage import Ancestry, LineageSummary, RayFiles, RunLineage, Schedule
from phylon.lineage.newick import newick
from phylon.lineage.ray_export import ray_zip
from phylon.lineage.summary import summarise

router = APIRouter(tags=["lineage"])

MemberQuery = Annotated[str, Query(pattern=r"^(best|\d{1,6})$", description="`best`, or the number of a member.")]
SpanId = Annotated[int, Path(ge=0, le=LARGEST, description="Number of a span, of which the member may be dead.")]


@router.get("/runs/{id}/lineage", responses=responses(NotFound))
def get_run_lineage(id: Id, session: ReadSession, viewer: ViewerDep) -> RunLineage:
    return service.read(session, viewer, id)


@router.get("/runs/{id}/lineage/summary", responses=responses(NotFound))
def get_lineage_summary(id: Id, session: ReadSession, viewer: ViewerDep) -> LineageSummary:
    return service.read_summary(session, viewer, id)


@router.get("/runs/{id}/lineage/spans/{span}/ancestry", responses=responses(NotFound, SpanUnknown))
def get_span_ancestry(id: Id, span: SpanId, session: ReadSession, viewer: ViewerDep) -> Ancestry:
    return service.read_ancestry(session, viewer, id, span)


@router.get("/runs/{id}/lineage/spans/{span}/schedule", responses=responses(NotFound, SpanUnknown, NoSchedule))
def get_span_schedule(id: Id, span: SpanId, session: ReadSession, viewer: ViewerDep) -> Schedule:
    return service.schedule_of(service.read(session, viewer, id), span)


@router.get("/runs/{id}/schedule", responses=responses(NotFound, MemberUnknown, NoSchedule))
def get_run_schedule(id: Id, session: ReadSession, viewer: ViewerDep, member: MemberQuery = "best") -> Schedule:
    return service.read_schedule_of_member(session, viewer, id, "best" if member == "best" else int(member))


@router.get(
    "/runs/{id}/lineage.newick", response_class=Response, responses=file_response("text/x-newick") | responses(NotFound)
)
def download_newick(id: Id, session: ReadSession, viewer: ViewerDep) -> Response:
    return _attachment(newick(service.read(session, viewer, id)), f"run-{id}.nwk", "text/x-newick")


@router.get(
    "/runs/{id}/lineage.ray.zip",
    response_class=Response,
    responses=file_response("application/zip") | responses(NotFound),
)
def download_ray_logs(id: Id, session: ReadSession, viewer: ViewerDep) -> Response:
    return _attachment(ray_zip(service.read(session, viewer, id)), f"run-{id}-ray.zip", "application/zip")


@router.post("/lineage/import")
@changes_nothing
def import_ray_lineage(logs: RayFiles) -> RunLineage:
    """The lineage in Ray's files; nothing is stored."""
    return service.import_ray_logs(logs.files)


@router.post("/lineage/summary")
@changes_nothing
def summarise_lineage(lineage: RunLineage) -> LineageSummary:
    """Of a lineage that no run here has, such as an imported one."""
    return summarise(lineage, None)


@router.post("/lineage/spans/{span}/ancestry", responses=responses(SpanUnknown))
@changes_nothing
def trace_span(span: SpanId, lineage: RunLineage) -> Ancestry:
    """Of a lineage that no run here has, such as an imported one."""
    return service.ancestry_of(lineage, None, span)


@router.post("/lineage/spans/{span}/schedule", responses=responses(SpanUnknown, NoSchedule))
@changes_nothing
def derive_span_schedule(span: SpanId, lineage: RunLineage) -> Schedule:
    """Of a lineage that no run here has, such as an imported one."""
    return service.schedule_of(lineage, span)


def _attachment(content: str | bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
