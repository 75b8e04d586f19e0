"""Imports over REST."""

from fastapi import APIRouter

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.dependencies import ViewerDep, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.imports import service
from phylon.backend.kit.body_limit import BodyTooLarge
from phylon.backend.kit.errors import Invalid, responses
from phylon.contract.experiments import Experiment
from phylon.contract.imports import NewImport

router = APIRouter(prefix="/imports", tags=["imports"])


@router.post("", status_code=201, responses=responses(Invalid, NotMember, BodyTooLarge))
def create_import(body: NewImport, session: WriteSession, viewer: ViewerDep, once: OnceDep) -> Experiment:
    """Stores results from elsewhere as an experiment that can be organised and compared, and never trained. At most
    64 MB."""
    return once(body, Experiment, lambda: service.create(session, viewer, body))
