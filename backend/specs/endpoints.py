"""Reads a spec and reports what is wrong with it or what it means, without storing anything."""

from fastapi import APIRouter

from phylon.backend.specs import service
from phylon.contract.specs import SpecReport, SpecText

router = APIRouter(prefix="/specs", tags=["specs"])


@router.post("/validate")
def validate_spec(body: SpecText) -> SpecReport:
    return service.report(body.yaml)
