"""What proves to the service which worker this is: a credential that it gets once, for a code, and keeps in a file.

The file is locked while the worker runs, so that on one machine one process at a time is this worker. Therefore the
service may take a worker that registers again for the only one, and give away what the process before it held.
"""

import fcntl
import logging
import os
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar
from urllib.parse import quote

import httpx

from phylon.contract.protocol import Enrolment, WorkerRegistration
from phylon.worker.supervisor.service import RequestRefused, Service, ServiceUnreachable, pauses
from phylon.worker.supervisor.settings import Settings

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class CredentialMissing(ValueError):
    """The worker has not enrolled."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"this worker has not enrolled ({file} is not there or is refused); an admin makes a code with "
            "`phylon workers code`, and `phylon worker --enrol CODE` (or PHYLON_ENROLMENT_CODE) uses it"
        )


class AlreadyRunning(ValueError):
    """Another process of this machine is this worker."""

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(
            f"worker {name} runs already on this machine (it holds {file}); stop it, or choose another --name, with "
            "which it enrols as a worker of its own"
        )


def this_machine() -> str:
    """Tells machines apart, those of the same name too."""
    try:
        number = Path("/etc/machine-id").read_text().strip()[:12]
    except OSError:
        number = ""
    return f"{socket.gethostname()} {number}".strip()


@contextmanager
def hold_credential(settings: Settings, registration: WorkerRegistration) -> Generator[str]:
    """The credential of the worker with this name, for as long as it runs."""
    folder = settings.home / "worker-credentials"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / quote(registration.name, safe="")
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(registration.name, path) from None
        credential = _known(settings, registration, file.read().strip())
        if credential is None:
            if settings.enrolment_code is None:
                raise CredentialMissing(path)
            credential = _enrol(settings.api_url, Enrolment(code=settings.enrolment_code, registration=registration))
            _replace(file, credential)
        yield credential


def _known(settings: Settings, registration: WorkerRegistration, stored: str) -> str | None:
    """What the file holds. Where there is a code to fall back on, only if the service accepts it."""
    if not stored or settings.enrolment_code is None:
        return stored or None
    service = Service(settings.api_url, stored)
    try:
        _when_there(lambda: service.register(registration))
    except RequestRefused as error:
        if error.status != httpx.codes.UNAUTHORIZED:
            raise
        return None
    finally:
        service.close()
    return stored


def _enrol(api_url: str, enrolment: Enrolment) -> str:
    service = Service(api_url, None)
    try:
        return _when_there(lambda: service.enrol(enrolment)).credential
    finally:
        service.close()


def _replace(file: IO[str], credential: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(credential + "\n")
    file.flush()
    os.fsync(file.fileno())


def _when_there(ask: Callable[[], Answer]) -> Answer:
    """Waits for a service that is not there yet."""
    reported = False
    for pause in pauses():
        try:
            return ask()
        except ServiceUnreachable as error:
            if not reported:
                log.warning("waiting for the service: %s", error)
                reported = True
        time.sleep(pause)
    raise AssertionError("pauses never end")
