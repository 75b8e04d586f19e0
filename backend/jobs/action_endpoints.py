"""The routes of the verbs that every kind of work has: `POST /<nouns>/{id}/<verb>`."""

from typing import Protocol

from fastapi import APIRouter
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.dependencies import ContextDep, ViewerDep, WriteSession
from phylon.backend.jobs.actions import ACTIONS, Action, ActionRefused
from phylon.backend.kit.errors import Forbidden, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.contract.base import ReadModel


class Act(Protocol):
    """Locks the jobs of what has this number, and answers with it as it is after the action."""

    def __call__(self, session: Session, context: Context, viewer: Viewer, id: int, action: Action, /) -> ReadModel: ...


def add_actions(router: APIRouter, noun: str, model: type[ReadModel], act: Act) -> None:
    for action in ACTIONS:
        _add(router, noun, model, act, action)


def _add(router: APIRouter, noun: str, model: type[ReadModel], act: Act, action: Action) -> None:
    def endpoint(id: Id, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> ReadModel:
        return act(session, context, viewer, id, action)

    router.add_api_route(
        f"/{{id}}/{action.verb}",
        endpoint,
        methods=["POST"],
        name=f"{action.verb}_{noun}",
        description=action.of_whole,
        response_model=model,
        responses=responses(NotFound, Forbidden, ActionRefused),
    )
