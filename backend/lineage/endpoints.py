"""Lineage over REST."""

from fastapi import APIRouter

from backend.dependencies import ReadSession
from backend.kit.errors import NotFound, responses
from backend.kit.parameters import Id
from backend.lineage import service
from backend.lineage.schemas import RunLineage

router = APIRouter(prefix="/runs/{id}/lineage", tags=["lineage"])


@router.get("", responses=responses(NotFound))
def get_run_lineage(id: Id, session: ReadSession) -> RunLineage:
    return service.read(session, id)
