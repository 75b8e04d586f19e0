"""The worker's side of the HTTP conversation in `phylon/contract/protocol.py`.

ServiceError
├── ServiceUnreachable    no answer, or one that says "later" (5xx): try again
├── AttemptRefused        the job is not, or no longer, this attempt's: abandon it and write nothing more
└── RequestRefused        any other 4xx: trying again cannot help
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel
from tenacity import Retrying, retry_if_exception_type, stop_before_delay, wait_exponential

from phylon.contract.protocol import (
    ArtifactStored,
    Claim,
    ClaimRequest,
    Heartbeat,
    HeartbeatAnswer,
    Release,
    ResumeRequest,
    WorkerRegistered,
    WorkerRegistration,
)

Answer = TypeVar("Answer")

CHUNK_BYTES = 2**20
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 5.0
REQUEST_TIMEOUT = httpx.Timeout(10.0, connect=3.0)
TRANSFER_TIMEOUT = httpx.Timeout(60.0, connect=3.0)
"""For each chunk, and for the service to write a large checkpoint to its disk."""


class ServiceError(Exception):
    """The service did not do what it was asked."""


class ServiceUnreachable(ServiceError):
    pass


class AttemptRefused(ServiceError):
    pass


class RequestRefused(ServiceError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Service:
    """Each method is one request. Safe to use from several threads."""

    def __init__(self, api_url: str, token: str) -> None:
        self._client = httpx.Client(
            base_url=f"{api_url}/api/v1/worker",
            headers={"Authorization": f"Bearer {token}"},
            timeout=REQUEST_TIMEOUT,
            trust_env=False,  # a proxy or .netrc of the shell that started us must not get hold of the token
        )

    def close(self) -> None:
        self._client.close()

    def register(self, registration: WorkerRegistration) -> WorkerRegistered:
        return WorkerRegistered.model_validate_json(self._post("/register", registration).content)

    def beat(self, worker_id: int) -> bool:
        """False when the service does not know this worker (any more)."""
        try:
            self._request("POST", f"/{worker_id}/beat")
        except AttemptRefused:
            return False
        return True

    def claim(self, job_id: int, request: ClaimRequest) -> Claim:
        return Claim.model_validate_json(self._post(f"/jobs/{job_id}/claim", request).content)

    def resume(self, job_id: int, request: ResumeRequest) -> HeartbeatAnswer:
        return HeartbeatAnswer.model_validate_json(self._post(f"/jobs/{job_id}/resume", request).content)

    def heartbeat(self, job_id: int, heartbeat: Heartbeat) -> HeartbeatAnswer:
        return HeartbeatAnswer.model_validate_json(self._post(f"/jobs/{job_id}/heartbeat", heartbeat).content)

    def release(self, job_id: int, release: Release) -> None:
        self._post(f"/jobs/{job_id}/release", release)

    def upload(self, job_id: int, attempt: int, path: Path, sha256: str, step: int) -> ArtifactStored:
        """Raises FileNotFoundError when the file is gone. Once opened it is sent whole, even if unlinked meanwhile."""
        with path.open("rb") as file:
            answer = self._request(
                "PUT",
                f"/jobs/{job_id}/artifacts/{path.name}",
                params={"attempt": attempt, "sha256": sha256, "step": step},
                content=iter(lambda: file.read(CHUNK_BYTES), b""),
                headers={"Content-Type": "application/octet-stream"},
                timeout=TRANSFER_TIMEOUT,
            )
        return ArtifactStored.model_validate_json(answer.content)

    def download(self, artifact_id: int, target: Path) -> None:
        """The caller checks the hash."""
        path = f"/artifacts/{artifact_id}/content"
        try:
            with self._client.stream("GET", path, timeout=TRANSFER_TIMEOUT) as answer, target.open("wb") as file:
                if answer.is_error:
                    answer.read()
                    _raise_for_status(answer)
                for chunk in answer.iter_bytes(CHUNK_BYTES):
                    file.write(chunk)
        except httpx.TransportError as error:
            raise _unreachable(error) from error
        except AttemptRefused as error:
            # The job is ours, but its checkpoint is not there: no reason to leave it without a word.
            raise RequestRefused(httpx.codes.NOT_FOUND, f"the service lost a checkpoint: {error}") from error

    def _post(self, path: str, body: BaseModel) -> httpx.Response:
        # Serialised by pydantic, which spells NaN as the reader expects; httpx's own JSON would not.
        headers = {"Content-Type": "application/json"}
        return self._request("POST", path, content=body.model_dump_json().encode(), headers=headers)

    def _request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        try:
            answer = self._client.request(method, path, **arguments)
        except httpx.TransportError as error:
            raise _unreachable(error) from error
        _raise_for_status(answer)
        return answer


def pauses() -> Iterator[float]:
    """Seconds between two tries: soon at first, then patient."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def retry_while_unreachable(
    call: Callable[[], Answer], patience_seconds: float, is_cancelled: Callable[[], bool]
) -> Answer:
    """What `call` answers, asked again while the service is unreachable.

    After `patience_seconds`, or when cancelled, the last `ServiceUnreachable` is raised.
    """
    give_up = stop_before_delay(patience_seconds)
    return Retrying(
        retry=retry_if_exception_type(ServiceUnreachable),
        wait=wait_exponential(multiplier=FIRST_PAUSE_SECONDS, max=LONGEST_PAUSE_SECONDS),
        stop=lambda state: is_cancelled() or give_up(state),
        reraise=True,
    )(call)


def _unreachable(error: httpx.TransportError) -> ServiceUnreachable:
    return ServiceUnreachable(f"{type(error).__name__}: {error}")


def _raise_for_status(answer: httpx.Response) -> None:
    if answer.is_success:
        return
    message = f"{answer.request.method} {answer.request.url.path} was answered {answer.status_code}: {_detail(answer)}"
    if answer.is_server_error:
        raise ServiceUnreachable(message)
    if answer.status_code in (httpx.codes.CONFLICT, httpx.codes.NOT_FOUND):
        raise AttemptRefused(message)
    raise RequestRefused(answer.status_code, message)


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])[:500]
    except (ValueError, KeyError, TypeError):
        return answer.text[:500]
