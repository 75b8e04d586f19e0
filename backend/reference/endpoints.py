"""`/api/docs`: the API to read, without a script and without a file of another host."""

from functools import lru_cache
from typing import cast

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from phylon.backend.reference import page

router = APIRouter(include_in_schema=False)


@router.get("/api/docs")
def get_reference(request: Request) -> HTMLResponse:
    return HTMLResponse(_rendered(cast(FastAPI, request.app)))


@router.get("/api/docs.css")
def get_style() -> Response:
    return Response(page.STYLE, media_type="text/css")


@lru_cache(maxsize=1)
def _rendered(app: FastAPI) -> str:
    return page.render(app.openapi())
