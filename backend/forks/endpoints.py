"""Forks over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.forks import service
from phylon.backend.forks.service import NotForkable
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import LARGEST, After, Id, Limit
from phylon.backend.queue.admission import NoWorkerFits
from phylon.contract.base import Page
from phylon.contract.experiments import Experiment
from phylon.contract.forks import Fork, Forkable, ForkDraft, ForkPoint, ForkRequest

router = APIRouter(prefix="/runs", tags=["forks"])

SpanQuery = Annotated[int | None, Query(ge=0, le=LARGEST, description="A stretch of the lineage.")]
MemberNumber = Annotated[int | None, Query(ge=0, lt=4096, description="Without it and `span`, the best.")]
StepQuery = Annotated[int | None, Query(ge=0, le=LARGEST, description="Of a checkpoint; without it the newest.")]


@router.get("/{id}/forkable", responses=responses(NotFound))
def get_run_forkable(id: Id, session: ReadSession, viewer: ViewerDep) -> Forkable:
    """From which spans of its lineage the run can be forked, and why not from the others."""
    return service.list_forkable(session, viewer, id)


@router.get("/{id}/fork", responses=responses(NotFound, NotForkable))
def draft_fork(
    id: Id,
    session: ReadSession,
    viewer: ViewerDep,
    span: SpanQuery = None,
    member: MemberNumber = None,
    step: StepQuery = None,
) -> ForkDraft:
    """The spec of a fork from there, to be edited and submitted as an experiment."""
    return service.draft(session, viewer, id, ForkPoint(span=span, member=member, step=step))


@router.post(
    "/{id}/fork", status_code=201, responses=responses(NotFound, NotForkable, Invalid, NotMember, NoWorkerFits)
)
def fork_run(
    id: Id, body: ForkRequest, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> Experiment:
    """A new experiment whose founders begin with weights of this run."""
    return once(body, Experiment, lambda: service.fork(session, context, viewer, id, body))


@router.get("/{id}/forks", responses=responses(NotFound))
def list_run_forks(
    id: Id, session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None
) -> Page[Fork]:
    """Experiments that start from this run, the oldest first."""
    return page_of(service.list_forks(session, viewer, id), limit, after)
