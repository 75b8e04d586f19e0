"""Whether the service and what it leans on are there."""

from fastapi import APIRouter

from backend.dependencies import ContextDep
from backend.health import service
from backend.health.schemas import Health

router = APIRouter(prefix="/health", tags=["health"])


@router.get("")
def get_health(context: ContextDep) -> Health:
    return service.check(context)
