"""Serves the built user interface: files as they are, and its one page for every address that the page routes."""

from pathlib import Path, PurePosixPath

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_PAGE = "index.html"
_HASHED = "assets"
"""Vite puts a hash of the content into the names of the files in this folder, so they never change."""


class SinglePage(StaticFiles):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)

    async def get_response(self, path: str, scope: Scope) -> Response:
        address = PurePosixPath(path)
        try:
            response = await super().get_response(path if address.name else _PAGE, scope)
        except HTTPException as error:
            # A missing file stays missing; only an address without a file ending can be a place within the page.
            if error.status_code != 404 or address.suffix or address.parts[:1] in (("api",), (_HASHED,)):
                raise
            response = await super().get_response(_PAGE, scope)
        hashed = address.parts[:1] == (_HASHED,)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        return response
