"""Workers, as people see them."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession
from phylon.backend.workers import service
from phylon.backend.workers.schemas import WorkerRead

router = APIRouter(prefix="/workers", tags=["workers"])


@router.get("")
def list_workers(session: ReadSession, context: ContextDep) -> list[WorkerRead]:
    return service.list_all(session, context)
