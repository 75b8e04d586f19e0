"""Reads a spec and reports what is wrong with it or what it means, without storing anything."""

from fastapi import APIRouter

from phylon.backend.dependencies import ReadSession, changes_nothing
from phylon.backend.specs import service
from phylon.contract.specs import SpecReport, SpecSchema, SpecText

router = APIRouter(prefix="/specs", tags=["specs"])


@router.post("/validate")
@changes_nothing
def validate_spec(session: ReadSession, body: SpecText) -> SpecReport:
    return service.report(session, body.yaml)


@router.get("/schema")
def get_spec_schema() -> SpecSchema:
    """What an experiment's spec may say: its JSON schema, and the short forms that are written instead of sections."""
    return service.schema()
