"""HTTP to the service, with its errors turned into ours."""

import socket
import time
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, cast

import httpx

from phylon.contract.problems import SPEC_REFUSED
from phylon.errors import ApiError, NotFound, PhylonUnreachable
from phylon.spec import Problem, SpecInvalid

_TRIES = 3
_PAUSE_SECONDS = 0.5


class Transport:
    """Requests below `url`/api/v1. Raises `PhylonUnreachable`, `SpecInvalid` or `ApiError`, never an error of httpx."""

    def __init__(self, url: str, timeout: float, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise PhylonUnreachable(url, "an address begins with http:// or https://")
        # The service is on this machine or in the team's network: a proxy for the world outside would only hide it.
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=f"{self.url}/api/v1", timeout=timeout, trust_env=False, headers=headers)
        self._streams: set[httpx.Response] = set()
        self.closed = False

    def close(self) -> None:
        """Also ends streams that other threads read: their next line is the end of the connection."""
        self.closed = True
        for response in list(self._streams):
            connection = response.extensions["network_stream"].get_extra_info("socket")
            with suppress(OSError):  # it ended by itself
                connection.shutdown(socket.SHUT_RDWR)
        self._http.close()

    def request(self, method: str, path: str, params: Mapping[str, Any] | None = None, json: Any = None) -> Any:
        """The JSON of the answer. Parameters that are `None` are left out."""
        with self._unreachable():
            response = self._http.request(method, path, params=_given(params), json=json)
        return self._answer(response)

    def sign_in(self, path: str, json: Any) -> Any:
        """The cookie of the answer takes the place of a token, and says like a browser where it is used."""
        self._http.headers.pop("Authorization", None)
        self._http.headers["Origin"] = self.url
        return self.request("POST", path, json=json)

    def create(self, path: str, json: Any) -> Any:
        """A POST that makes something. When its answer is lost it is sent again, and still makes one thing: the service
        knows it by its key."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        for tried in range(1, _TRIES + 1):
            try:
                with self._unreachable():
                    return self._answer(self._http.post(path, json=json, headers=headers))
            except PhylonUnreachable as error:
                if tried == _TRIES or not isinstance(error.__cause__, httpx.NetworkError | httpx.RemoteProtocolError):
                    raise
                if isinstance(error.__cause__, httpx.ConnectError) and tried == 1:
                    raise  # nothing was sent: there is no service
            time.sleep(_PAUSE_SECONDS)
        raise AssertionError("the last try returns or raises")

    def _answer(self, response: httpx.Response) -> Any:
        _raise_for_error(response)
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError:
            raise ApiError(
                502,
                f"{response.request.url} did not answer with JSON.",
                "Check that PHYLON_API_URL names a Phylon service.",
            ) from None

    @contextmanager
    def stream(
        self, path: str, headers: Mapping[str, str] | None = None, params: Mapping[str, Any] | None = None
    ) -> Generator[httpx.Response]:
        """An answer that is read while it comes."""
        with self._unreachable(), self._http.stream("GET", path, headers=headers, params=_given(params)) as response:
            if response.is_error:
                response.read()
            _raise_for_error(response)
            self._streams.add(response)
            try:
                yield response
            finally:
                self._streams.discard(response)

    @contextmanager
    def _unreachable(self) -> Generator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise PhylonUnreachable(self.url, str(error) or type(error).__name__) from error


def _given(params: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (params or {}).items() if value is not None}


def _raise_for_error(response: httpx.Response) -> None:
    if response.is_success:
        return
    body = _body(response)
    if body.get("type") == SPEC_REFUSED:
        raise SpecInvalid(cast(list[Problem], body.get("problems") or []))
    detail = str(body.get("detail") or f"{response.request.url} answered {response.status_code}.")
    remedy = cast(str | None, body.get("remedy"))
    kind = NotFound if response.status_code == 404 else ApiError
    raise kind(response.status_code, detail, remedy, str(body.get("type", "about:blank")))


def _body(response: httpx.Response) -> dict[str, Any]:
    """The problem document of an error; something else than Phylon may have answered in its place."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return cast(dict[str, Any], body) if isinstance(body, dict) else {}
