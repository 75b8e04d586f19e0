"""Serves the built user interface: files as they are, and its one page for every address that the page routes.

The page is made for each request: it carries the nonce under which its scripts may add style sheets.
"""

import secrets
from pathlib import Path, PurePosixPath

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from phylon.backend.kit.security_headers import content_policy

_PAGE = "index.html"
_NONCE = "PHYLON_CSP_NONCE"
"""Vite writes it wherever the nonce belongs (`html.cspNonce`)."""
_HASHED = "assets"
"""Vite puts a hash of the content into the names of the files in this folder, so they never change."""
_NOT_BUILT = """<!doctype html>
<html lang="en">
<title>Phylon: the web interface is not built</title>
<h1>The web interface is not built</h1>
<p>The service runs, and its API is documented at <a href="/api/docs">/api/docs</a>, but this installation of Phylon was
made from a checkout in which the web interface had not been built.</p>
<p>In the checkout, run <code>make ui</code>, install Phylon again unless it is an editable install, and restart it.</p>
</html>
"""


def install(app: Starlette, directory: Path) -> None:
    """Where there is no user interface, the front page says what to do about it."""
    if (directory / _PAGE).is_file():
        app.mount("/", GZipMiddleware(SinglePage(directory)), name="frontend")
    else:
        app.add_route("/", _explain, include_in_schema=False)


async def _explain(request: Request) -> Response:
    return HTMLResponse(_NOT_BUILT, status_code=503)


class SinglePage(StaticFiles):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
        self._page = directory / _PAGE

    async def get_response(self, path: str, scope: Scope) -> Response:
        address = PurePosixPath(path)
        if address.name in ("", _PAGE):
            return self._serve_page()
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            # A missing file stays missing; only an address without a file ending can be a place within the page.
            if error.status_code != 404 or address.suffix or address.parts[:1] in (("api",), (_HASHED,)):
                raise
            return self._serve_page()
        hashed = address.parts[:1] == (_HASHED,)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        return response

    def _serve_page(self) -> Response:
        nonce = secrets.token_urlsafe(16)
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": content_policy(nonce)}
        return HTMLResponse(self._page.read_text(encoding="utf-8").replace(_NONCE, nonce), headers=headers)
