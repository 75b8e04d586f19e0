"""Policies over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.policies import service
from phylon.contract.policies import PolicyCard

router = APIRouter(tags=["policies"])


@router.get("/runs/{id}/policy", responses=responses(NotFound))
def get_run_policy(id: Id, session: ReadSession, context: ContextDep, viewer: ViewerDep) -> PolicyCard:
    """The card of the winner's policy, which a run leaves when it finishes. Its file is the artifact."""
    return service.read_card(session, context, viewer, id)
