"""All routes of the API."""

from fastapi import APIRouter

from backend.advice import endpoints as advice
from backend.artifacts import endpoints as artifacts
from backend.artifacts import worker_endpoints as worker_artifacts
from backend.attempts import endpoints as attempts
from backend.catalogue import endpoints as catalogue
from backend.events import endpoints as events
from backend.experiments import endpoints as experiments
from backend.export import endpoints as export
from backend.groups import endpoints as groups
from backend.health import endpoints as health
from backend.kit.errors import Invalid, responses
from backend.lineage import endpoints as lineage
from backend.logs import endpoints as logs
from backend.metrics import endpoints as metrics
from backend.presets import endpoints as presets
from backend.runs import endpoints as runs
from backend.specs import endpoints as specs
from backend.studies import endpoints as studies
from backend.studies import worker_endpoints as worker_studies
from backend.workers import endpoints as workers
from backend.workers import worker_endpoints as worker_registration

router = APIRouter(prefix="/api", responses=responses(Invalid))
for part in (
    health,
    presets,
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
