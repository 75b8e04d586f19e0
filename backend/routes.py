"""All routes of the API."""

from fastapi import APIRouter, Depends

from phylon.backend.accounts import audit_endpoints as audit
from phylon.backend.accounts import endpoints as accounts
from phylon.backend.accounts.invitations import endpoints as invitations
from phylon.backend.accounts.people import endpoints as people
from phylon.backend.accounts.projects import endpoints as projects
from phylon.backend.accounts.sign_ins import endpoints as sign_ins
from phylon.backend.accounts.tokens import endpoints as tokens
from phylon.backend.advice import endpoints as advice
from phylon.backend.artifacts import endpoints as artifacts
from phylon.backend.artifacts import worker_endpoints as worker_artifacts
from phylon.backend.catalogue import endpoints as catalogue
from phylon.backend.comparisons import endpoints as comparisons
from phylon.backend.controls import endpoints as controls
from phylon.backend.dependencies import get_viewer
from phylon.backend.environment_checks import endpoints as environment_checks
from phylon.backend.evaluations import endpoints as evaluations
from phylon.backend.events import endpoints as events
from phylon.backend.experiments import endpoints as experiments
from phylon.backend.explanations import endpoints as explanations
from phylon.backend.export import endpoints as export
from phylon.backend.forks import endpoints as forks
from phylon.backend.groups import endpoints as groups
from phylon.backend.health import endpoints as health
from phylon.backend.imports import endpoints as imports
from phylon.backend.jobs import worker_endpoints as worker_jobs
from phylon.backend.kit.errors import Forbidden, Invalid, Unauthorized, responses
from phylon.backend.lineage import endpoints as lineage
from phylon.backend.logs import endpoints as logs
from phylon.backend.metrics import endpoints as metrics
from phylon.backend.policies import endpoints as policies
from phylon.backend.queue import endpoints as queue
from phylon.backend.runs import endpoints as runs
from phylon.backend.specs import endpoints as specs
from phylon.backend.studies import endpoints as studies
from phylon.backend.sweeping import worker_endpoints as worker_sweeping
from phylon.backend.views import endpoints as views
from phylon.backend.webhooks import endpoints as webhooks
from phylon.backend.workers import endpoints as workers
from phylon.backend.workers import worker_endpoints as worker_registration

router = APIRouter(prefix="/api/v1", responses=responses(Invalid))

OPEN = (health.router, accounts.open_router, invitations.open_router, worker_registration.open_router)
"""For everyone: they give nothing away, or ask for a password or a code."""
WORKERS = (worker_registration.router, worker_jobs.router, worker_artifacts.router, worker_sweeping.router)
"""These ask for a worker's credential."""

for part in (
    catalogue,
    specs,
    advice,
    experiments,
    groups,
    comparisons,
    imports,
    views,
    studies,
    evaluations,
    environment_checks,
    runs,
    metrics,
    lineage,
    explanations,
    forks,
    controls,
    export,
    logs,
    artifacts,
    policies,
    events,
    webhooks,
    queue,
    workers,
    accounts,
    sign_ins,
    tokens,
    people,
    invitations,
    projects,
    audit,
):
    router.include_router(part.router, dependencies=[Depends(get_viewer)], responses=responses(Unauthorized, Forbidden))
for open_or_workers in (*OPEN, *WORKERS):
    router.include_router(open_or_workers)
