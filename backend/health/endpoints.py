"""Whether the service and what it leans on are there."""

from fastapi import APIRouter, Response

from phylon.backend.dependencies import ContextDep
from phylon.backend.health import service
from phylon.contract.health import Health

router = APIRouter(prefix="/health", tags=["health"])


@router.get("", responses={503: {"model": Health, "description": "The database does not answer."}})
def get_health(context: ContextDep, response: Response) -> Health:
    health = service.check(context)
    if health.database != "ok":
        response.status_code = 503
    return health
