"""Did tuning help? Over REST."""

from fastapi import APIRouter

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.controls import service
from phylon.backend.controls.service import NothingToControl
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.lineage.service import NoSchedule
from phylon.backend.queue.admission import NoWorkerFits
from phylon.contract.controls import Controls, ControlsRequest, RunControls

router = APIRouter(prefix="/runs", tags=["controls"])


@router.post(
    "/{id}/controls",
    status_code=201,
    responses=responses(NotFound, NothingToControl, NoSchedule, Invalid, NotMember, NoWorkerFits),
)
def start_controls(
    id: Id, body: ControlsRequest, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> Controls:
    """A group of experiments that answers whether tuning helped this finished run."""
    return once(body, Controls, lambda: service.start(session, context, viewer, id, body))


@router.get("/{id}/controls", responses=responses(NotFound))
def get_controls(id: Id, session: ReadSession, viewer: ViewerDep) -> RunControls:
    """The newest controls of the run and what they say so far, or whether there can be any."""
    return service.read(session, viewer, id)
