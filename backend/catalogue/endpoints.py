"""Which environments exist."""

from fastapi import APIRouter

from phylon import catalogue
from phylon.catalogue import EnvironmentEntry

router = APIRouter(prefix="/catalogue", tags=["catalogue"])


@router.get("")
def list_environments(suite: str | None = None, search: str | None = None) -> list[EnvironmentEntry]:
    return catalogue.search(suite, search)
