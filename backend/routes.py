"""All routes of the API."""

from fastapi import APIRouter

from phylon.backend.advice import endpoints as advice
from phylon.backend.artifacts import endpoints as artifacts
from phylon.backend.artifacts import worker_endpoints as worker_artifacts
from phylon.backend.attempts import endpoints as attempts
from phylon.backend.catalogue import endpoints as catalogue
from phylon.backend.events import endpoints as events
from phylon.backend.experiments import endpoints as experiments
from phylon.backend.export import endpoints as export
from phylon.backend.groups import endpoints as groups
from phylon.backend.health import endpoints as health
from phylon.backend.kit.errors import Invalid, responses
from phylon.backend.lineage import endpoints as lineage
from phylon.backend.logs import endpoints as logs
from phylon.backend.metrics import endpoints as metrics
from phylon.backend.runs import endpoints as runs
from phylon.backend.specs import endpoints as specs
from phylon.backend.studies import endpoints as studies
from phylon.backend.studies import worker_endpoints as worker_studies
from phylon.backend.workers import endpoints as workers
from phylon.backend.workers import worker_endpoints as worker_registration

router = APIRouter(prefix="/api/v1", responses=responses(Invalid))
for part in (
    health,
    catalogue,
    specs,
    advice,
    experiments,
    groups,
    studies,
    runs,
    metrics,
    lineage,
    export,
    logs,
    artifacts,
    events,
    workers,
    worker_registration,
    attempts,
    worker_artifacts,
    worker_studies,
):
    router.include_router(part.router)
