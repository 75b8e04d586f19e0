"""The routes that whatever a job is for has: its list, itself, its log, its events, the verbs, and its end."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import NotYours
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.events import stream
from phylon.backend.events.position import PositionDep
from phylon.backend.jobs.action_endpoints import add_actions
from phylon.backend.jobs.actions import Action
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import After, Id, Limit, Number
from phylon.backend.logs import service as logs
from phylon.backend.logs.endpoints import Limit as LogLimit
from phylon.backend.payloads import repository, service
from phylon.backend.payloads.service import NotEnded, Noun
from phylon.contract.base import Page
from phylon.contract.logs import LoggedLine

Conditions = Sequence[ColumnElement[bool]]


def everything() -> Conditions:
    return ()


def add_routes(
    router: APIRouter, noun: Noun[Any, Any, Any], messages: Any, narrow: Callable[..., Conditions] = everything
) -> None:
    """`messages`: what its event stream carries. `narrow` is a dependency that reads which of all are wanted."""
    model, one, many = noun.model, noun.model.kind, noun.model.__tablename__
    page, found = cast(Any, Page)[noun.summary], responses(NotFound)

    @router.get("", name=f"list_{many}", response_model=page)
    def list_all(
        session: ReadSession,
        viewer: ViewerDep,
        conditions: Annotated[Conditions, Depends(narrow)],
        limit: Limit = 100,
        after: After = None,
    ) -> Any:
        """The newest first."""
        return service.list_page(session, viewer, noun, conditions, limit, after)

    @router.get("/{id}", name=f"get_{one}", response_model=noun.stored, responses=found)
    def get(id: Id, session: ReadSession, viewer: ViewerDep) -> Any:
        """With all that is known of it."""
        return noun.read(session, viewer, repository.get(session, viewer, model, id))

    @router.delete("/{id}", status_code=204, name=f"delete_{one}", responses=responses(NotFound, NotYours, NotEnded))
    def delete(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
        """For good, with its log and its files."""
        service.delete(session, viewer, model, id)

    @router.get("/{id}/logs", name=f"list_{one}_logs", responses=found)
    def list_logs(
        id: Id,
        session: ReadSession,
        viewer: ViewerDep,
        attempt: Number | None = None,
        after: After = None,
        limit: LogLimit = 1000,
    ) -> Page[LoggedLine]:
        """In the order in which they were printed. A log may grow, so that `next` is never null."""
        job_id = repository.get(session, viewer, model, id).job_id
        return logs.read(session, job_id, attempt=attempt, after=after, limit=limit)

    def get_job(id: Id, context: ContextDep, viewer: ViewerDep) -> int:
        """Answers 404 before the stream begins; a plain session dependency would hold its connection to the end."""
        with context.database.read() as session:
            return repository.get(session, viewer, model, id).job_id

    async def follow(
        job_id: Annotated[int, Depends(get_job)], context: ContextDep, viewer: ViewerDep, position: PositionDep
    ) -> AsyncIterator[Any]:
        """The history after the position, then what happens, until it has ended."""
        async for message in stream.follow(context, viewer, job_id, position):
            yield message

    def act(session: Session, context: Context, viewer: Viewer, id: int, action: Action) -> Any:
        return service.act(session, context, viewer, noun, id, action)

    follow.__annotations__["return"] = cast(Any, AsyncIterator)[messages]  # what a message's data is, for OpenAPI
    name, refusals = f"stream_{one}_events", responses(NotFound, Invalid)
    router.get("/{id}/events", name=name, response_class=EventSourceResponse, responses=refusals)(follow)
    add_actions(router, one, noun.stored, act)
