"""Where artifact bytes lie: one folder per job, in a directory (`directory`) or in a bucket (`bucket`).

A file arrives in parts, as an *upload* that no reader sees. When all of it is there and its hash is right, it is kept
under its name in one step, so a reader never meets half a file. No two files ever have the same name: what is deleted
can never be what someone has just stored again.
"""

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, Protocol

from phylon.backend.kit.errors import PlatformError

UPLOAD = ".part"
"""How the names of uploads end; they begin with a dot, as no artifact's does."""


class Received(NamedTuple):
    bytes: int
    sha256: str


class StoredFile(NamedTuple):
    path: str
    modified: datetime


class StorageFull(PlatformError):
    """There is too little room for the file; nothing is lost, and the worker tries again."""

    status_code = 507

    def __init__(self, free: int | None) -> None:
        left = "no room is left" if free is None else f"{free / 2**20:,.0f} MiB are left"
        super().__init__(
            f"The artifacts of this service have too little room: {left}.",
            "Delete experiments, or give PHYLON_ARTIFACTS a larger disk; workers go on by themselves then.",
        )


class Store(Protocol):
    """Paths are relative, `JOB/NAME`. Every method may wait for a disk or for a network."""

    block_bytes: int
    """What one `write` should have."""

    def received(self, upload: str) -> int:
        """Bytes that are here, without a gap; 0 for an upload that has not begun."""
        ...

    def write(self, upload: str, offset: int, data: bytes) -> None:
        """Repeating a write is harmless. Raises `StorageFull`."""
        ...

    def digest(self, upload: str) -> Received:
        """Of what is here. From then on it survives a power cut."""
        ...

    def keep(self, upload: str, path: str) -> None:
        """The upload becomes this file, which nobody saw before and everybody sees whole."""
        ...

    def discard(self, upload: str) -> None: ...

    def size(self, path: str) -> int | None:
        """None where there is no such file."""
        ...

    def read(self, path: str, start: int, end: int) -> Iterator[bytes]:
        """From byte `start` to before byte `end`."""
        ...

    def delete(self, paths: list[str]) -> None:
        """Those that are not there are left out."""
        ...

    def delete_job(self, job_id: int) -> None: ...

    def jobs(self) -> list[int]:
        """Those that have a folder."""
        ...

    def files(self, job_id: int) -> list[StoredFile]:
        """Uploads among them."""
        ...

    def free_bytes(self) -> int | None:
        """None where there is no limit that we could know."""
        ...


def upload_path(job_id: int, name: str, sha256: str) -> str:
    """The same for every try to send this file, so that a later one goes on where an earlier one ended."""
    return f"{job_id}/.{sha256[:32]}-{name}{UPLOAD}"


def new_path(job_id: int, name: str) -> str:
    return f"{job_id}/{uuid.uuid4().hex[:12]}-{name}"


def is_upload(path: str) -> bool:
    return path.partition("/")[2].startswith(".")
