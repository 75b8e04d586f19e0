"""Checks of environments over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.catalogue.known import EnvironmentUnknown
from phylon.backend.dependencies import ContextDep, ViewerDep, WriteSession
from phylon.backend.environment_checks import service
from phylon.backend.environment_checks.service import NobodyOffers
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.payloads.endpoints import Conditions, add_routes
from phylon.backend.queue.admission import NoWorkerFits
from phylon.contract.environment_checks import EnvironmentCheck, EnvironmentCheckRequest
from phylon.contract.stream import EnvironmentCheckStreamMessage

EnvironmentId = Annotated[str | None, Query(max_length=200, description="Only those of this environment.")]


def get_conditions(environment: EnvironmentId = None) -> Conditions:
    return () if environment is None else (service.of_environment(environment),)


router = APIRouter(prefix="/environment-checks", tags=["environment checks"])
add_routes(router, service.CHECKS, EnvironmentCheckStreamMessage, get_conditions)


@router.post(
    "", status_code=201, responses=responses(EnvironmentUnknown, NotFound, NotMember, NobodyOffers, NoWorkerFits)
)
def create_environment_check(
    body: EnvironmentCheckRequest, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> EnvironmentCheck:
    """Asks a worker that offers the environment to try it."""
    return once(body, EnvironmentCheck, lambda: service.create(session, context, viewer, body))
