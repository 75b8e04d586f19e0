"""How many members a spec should have, without storing anything."""

from fastapi import APIRouter

from phylon.backend.advice import service
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, changes_nothing
from phylon.backend.kit.errors import Invalid, responses
from phylon.contract.advice import Advice
from phylon.contract.specs import SpecText

router = APIRouter(prefix="/specs/advice", tags=["specs"])


@router.post("", responses=responses(Invalid))
@changes_nothing
def advise_spec(body: SpecText, session: ReadSession, context: ContextDep, viewer: ViewerDep) -> Advice:
    """How many members fit into each worker's memory, and what one more costs by the stored runtime studies."""
    return service.advise(session, context, viewer, body.yaml)
