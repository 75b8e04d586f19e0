"""The queue over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.accounts.rights import NotYours
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import LARGEST, Id
from phylon.backend.queue import moves, view
from phylon.backend.queue.moves import JobNotWaiting, NoCommonLine
from phylon.backend.queue.repository import Only
from phylon.contract.queue import JobChange, Queue
from phylon.contract.vocabulary import Priority

router = APIRouter(tags=["queue"])

Wanted = Annotated[int | None, Query(ge=1, le=LARGEST)]
Shown = Annotated[int, Query(ge=0, le=1000, description="At most so many waiting jobs, the first in order.")]


@router.get("/queue")
def get_queue(
    session: ReadSession,
    context: ContextDep,
    viewer: ViewerDep,
    limit: Shown = 200,
    project: Wanted = None,
    owner: Wanted = None,
    priority: Priority | None = None,
) -> Queue:
    """What runs where, what waits and why, and whose share is how large: all, or of a project, a person, a class."""
    return view.read(session, context, viewer, limit, Only(project, owner, priority))


@router.patch("/jobs/{id}", responses=responses(NotFound, NotYours, JobNotWaiting, NoCommonLine))
def change_job(id: Id, body: JobChange, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> Queue:
    """Raises or lowers the class of a waiting job, or moves it among those of its owner; the queue after that."""
    moves.change(session, context, viewer, id, body)
    return view.read(session, context, viewer, limit=200)
