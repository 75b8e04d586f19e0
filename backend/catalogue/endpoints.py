"""Which environments, presets, algorithms, methods and suites exist."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon import catalogue, presets
from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Limit
from phylon.backend.workers.environments import find_offers
from phylon.contract.base import Page
from phylon.contract.catalogue import Algorithm, Environment, Method, Preset, Suite
from phylon.registry import listing

router = APIRouter(tags=["catalogue"])


@router.get("/catalogue")
def list_environments(
    session: ReadSession,
    suite: str | None = None,
    search: str | None = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 10_000,
    after: After = None,
) -> Page[Environment]:
    """Those of the suites, and those of the modules that workers' operators allowed."""
    with catalogue.offering(find_offers(session)):
        return page_of(list[Environment](catalogue.search(suite, search)), limit, after)


@router.get("/presets")
def list_presets(limit: Limit = 500, after: After = None) -> Page[Preset]:
    """Those that finish within minutes first."""
    return page_of(presets.list_presets(), limit, after)


@router.get("/algorithms")
def list_algorithms(limit: Limit = 500, after: After = None) -> Page[Algorithm]:
    """With their hyper-parameters and recommended search spaces; plug-ins after our own."""
    return page_of(listing.list_algorithms(), limit, after)


@router.get("/methods")
def list_methods(limit: Limit = 500, after: After = None) -> Page[Method]:
    return page_of(listing.list_methods(), limit, after)


@router.get("/suites")
def list_suites(limit: Limit = 500, after: After = None) -> Page[Suite]:
    return page_of(listing.list_suites(), limit, after)
