"""The worker's side of the HTTP conversation in `phylon/contract/protocol.py`.

ServiceError
├── ServiceUnreachable    no answer, or one that says "later" (5xx): try again
│   └── ServiceFull       there is no room for a file now (507)
├── AttemptRefused        the job is not, or no longer, this attempt's: abandon it and write nothing more
├── FileMissing           the service does not hold a file that it named
└── RequestRefused        any other 4xx: trying again cannot help
"""

import secrets
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
    Enrolled,
    Enrolment,
    Heartbeat,
    HeartbeatAnswer,
    JobFolders,
    Release,
    ResumeRequest,
    UploadState,
    WorkerFault,
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


class ServiceFull(ServiceUnreachable):
    """It has too little room for a file."""


class AttemptRefused(ServiceError):
    pass


class FileMissing(ServiceError):
    pass


class RequestRefused(ServiceError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Service:
    """Each method is one request. Safe to use from several threads."""

    """`credential` is None for a worker that is about to enrol."""

    def __init__(self, api_url: str, credential: str | None) -> None:
        self._client = httpx.Client(
            base_url=f"{api_url}/api/v1/worker",
            headers={"Authorization": f"Bearer {credential}"} if credential else {},
            timeout=REQUEST_TIMEOUT,
            event_hooks={"request": [_name_request]},
            trust_env=False,  # a proxy or .netrc of the shell that started us must not get hold of it
        )

    def close(self) -> None:
        self._client.close()

    def enrol(self, enrolment: Enrolment) -> Enrolled:
        return Enrolled.model_validate_json(self._post("/enrol", enrolment).content)

    def register(self, registration: WorkerRegistration) -> WorkerRegistered:
        return WorkerRegistered.model_validate_json(self._post("/register", registration).content)

    def beat(self, worker_id: int) -> bool:
        """False when the service does not know this worker (any more)."""
        try:
            self._request("POST", f"/{worker_id}/beat")
        except AttemptRefused:
            return False
        return True

    def leave(self, worker_id: int) -> None:
        self._request("POST", f"/{worker_id}/leave")

    def report_fault(self, worker_id: int, fault: str | None) -> None:
        self._post(f"/{worker_id}/fault", WorkerFault(fault=fault))

    def claim(self, job_id: int, request: ClaimRequest) -> Claim:
        return Claim.model_validate_json(self._post(f"/jobs/{job_id}/claim", request).content)

    def resume(self, job_id: int, request: ResumeRequest) -> HeartbeatAnswer:
        return HeartbeatAnswer.model_validate_json(self._post(f"/jobs/{job_id}/resume", request).content)

    def heartbeat(self, job_id: int, heartbeat: Heartbeat) -> HeartbeatAnswer:
        return HeartbeatAnswer.model_validate_json(self._post(f"/jobs/{job_id}/heartbeat", heartbeat).content)

    def release(self, job_id: int, release: Release) -> None:
        self._post(f"/jobs/{job_id}/release", release)

    def find_upload(self, job_id: int, attempt: int, name: str, sha256: str) -> UploadState:
        answer = self._request("GET", f"/jobs/{job_id}/artifacts/{name}", params={"attempt": attempt, "sha256": sha256})
        return UploadState.model_validate_json(answer.content)

    def upload_part(
        self, job_id: int, attempt: int, name: str, sha256: str, step: int, offset: int, total: int, data: bytes
    ) -> ArtifactStored:
        """Raises `ServiceFull` where the service has no room for it."""
        answer = self._request(
            "PUT",
            f"/jobs/{job_id}/artifacts/{name}",
            params={"attempt": attempt, "sha256": sha256, "step": step, "offset": offset, "total": total},
            content=data,
            headers={"Content-Type": "application/octet-stream"},
            timeout=TRANSFER_TIMEOUT,
        )
        return ArtifactStored.model_validate_json(answer.content)

    def find_needed_folders(self, folders: JobFolders) -> JobFolders:
        """Those of jobs that have not ended."""
        return JobFolders.model_validate_json(self._post("/folders", folders).content)

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
            # The job is ours, but its checkpoint is not there: no reason to leave it.
            raise FileMissing(f"the service lost a checkpoint: {error}") from error

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


def _name_request(request: httpx.Request) -> None:
    """The service logs what it does under this id, so that its lines and ours can be put together."""
    request.headers["X-Request-ID"] = secrets.token_hex(8)


def _unreachable(error: httpx.TransportError) -> ServiceUnreachable:
    return ServiceUnreachable(f"{type(error).__name__}: {error}")


def _raise_for_status(answer: httpx.Response) -> None:
    if answer.is_success:
        return
    message = (
        f"{answer.request.method} {answer.request.url.path} was answered {answer.status_code}: {_detail(answer)} "
        f"(request {answer.request.headers['X-Request-ID']})"
    )
    if answer.status_code == httpx.codes.INSUFFICIENT_STORAGE:
        raise ServiceFull(message)
    if answer.is_server_error:
        raise ServiceUnreachable(message)
    if answer.status_code in (httpx.codes.CONFLICT, httpx.codes.NOT_FOUND):
        raise AttemptRefused(message)
    raise RequestRefused(answer.status_code, message)


def _detail(answer: httpx.Response) -> str:
    try:
        problem = answer.json()
        return " ".join(filter(None, (problem["detail"], problem.get("remedy"))))[:500]
    except (ValueError, KeyError, TypeError):
        return answer.text[:500]
