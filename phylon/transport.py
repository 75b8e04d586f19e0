"""HTTP to the service, with its errors turned into ours."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import httpx

from phylon.errors import ApiError, NotFound, PhylonUnreachable
from phylon.spec import Problem, SpecInvalid


class Transport:
    """Requests below `url`/api/v1. Raises `PhylonUnreachable`, `SpecInvalid` or `ApiError`, never an error of httpx."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url.rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise PhylonUnreachable(url, "an address begins with http:// or https://")
        # The service is on this machine or in the team's network: a proxy for the world outside would only hide it.
        self._http = httpx.Client(base_url=f"{self.url}/api/v1", timeout=timeout, trust_env=False)

    def close(self) -> None:
        self._http.close()

    def request(self, method: str, path: str, params: Mapping[str, Any] | None = None, json: Any = None) -> Any:
        """The JSON of the answer. Parameters that are `None` are left out."""
        given = {name: value for name, value in (params or {}).items() if value is not None}
        with self._unreachable():
            response = self._http.request(method, path, params=given, json=json)
        _raise_for_error(response)
        return self._json(response) if response.content else None

    def _json(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise ApiError(
                502,
                f"{response.request.url} did not answer with JSON.",
                "Check that PHYLON_API_URL names a Phylon service.",
            ) from None

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str] | None = None) -> Generator[httpx.Response]:
        """An answer that is read while it comes."""
        with self._unreachable(), self._http.stream("GET", path, headers=headers) as response:
            if response.is_error:
                response.read()
            _raise_for_error(response)
            yield response

    @contextmanager
    def _unreachable(self) -> Generator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise PhylonUnreachable(self.url, str(error) or type(error).__name__) from None


def _raise_for_error(response: httpx.Response) -> None:
    if response.is_success:
        return
    body = _body(response)
    problems = cast(list[Problem], body.get("problems") or [])
    if response.status_code == 422 and problems:
        raise SpecInvalid(problems)
    detail = str(body.get("detail") or f"{response.request.url} answered {response.status_code}.")
    remedy = cast(str | None, body.get("remedy"))
    kind = NotFound if response.status_code == 404 else ApiError
    raise kind(response.status_code, detail, remedy)


def _body(response: httpx.Response) -> dict[str, Any]:
    """What the service says about an error; something else than Phylon may have answered in its place."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return cast(dict[str, Any], body) if isinstance(body, dict) else {}
