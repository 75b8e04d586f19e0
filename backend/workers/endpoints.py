"""Workers, as people see them."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Limit
from phylon.backend.workers import service
from phylon.contract.base import Page
from phylon.contract.workers import Worker

router = APIRouter(prefix="/workers", tags=["workers"])


@router.get("")
def list_workers(session: ReadSession, context: ContextDep, limit: Limit = 500, after: After = None) -> Page[Worker]:
    """Those that were alive within the last day, in the order in which they first came."""
    return page_of(service.list_all(session, context), limit, after, key=lambda worker: worker.id)
