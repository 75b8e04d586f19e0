"""Artifacts in a directory of this machine."""

import errno
import hashlib
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from phylon.backend.artifacts.storage import Received, StorageFull, StoredFile

_CHUNK_BYTES = 1 << 20
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class Directory:
    """An upload is one file that grows, and is renamed."""

    block_bytes = _CHUNK_BYTES

    def __init__(self, root: Path) -> None:
        self._root = root

    def received(self, upload: str) -> int:
        return self.size(upload) or 0

    def write(self, upload: str, offset: int, data: bytes) -> None:
        file = self._root / upload
        with _full_when_there_is_no_room():
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o666)
            with open(descriptor, "wb") as handle:
                handle.seek(offset)
                handle.write(data)

    def digest(self, upload: str) -> Received:
        with (self._root / upload).open("rb") as file:
            os.fsync(file.fileno())
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return Received(file.tell(), digest)

    def keep(self, upload: str, path: str) -> None:
        (self._root / upload).replace(self._root / path)

    def discard(self, upload: str) -> None:
        self.delete([upload])

    def size(self, path: str) -> int | None:
        try:
            return (self._root / path).stat().st_size
        except FileNotFoundError:
            return None

    def read(self, path: str, start: int, end: int) -> Iterator[bytes]:
        with (self._root / path).open("rb") as file:
            file.seek(start)
            while start < end and (chunk := file.read(min(_CHUNK_BYTES, end - start))):
                start += len(chunk)
                yield chunk

    def delete(self, paths: list[str]) -> None:
        for path in paths:
            (self._root / path).unlink(missing_ok=True)

    def delete_job(self, job_id: int) -> None:
        shutil.rmtree(self._root / str(job_id), ignore_errors=True)

    def jobs(self) -> list[int]:
        with suppress(FileNotFoundError):
            return sorted(int(folder.name) for folder in self._root.iterdir() if folder.name.isdecimal())
        return []

    def files(self, job_id: int) -> list[StoredFile]:
        found: list[StoredFile] = []
        for file in (self._root / str(job_id)).glob("*"):
            with suppress(FileNotFoundError):
                modified = datetime.fromtimestamp(file.stat().st_mtime, UTC)
                found.append(StoredFile(f"{job_id}/{file.name}", modified))
        return found

    def free_bytes(self) -> int | None:
        place = self._root
        while not place.exists():  # it is made with its first file
            place = place.parent
        return shutil.disk_usage(place).free


@contextmanager
def _full_when_there_is_no_room() -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StorageFull(None) from error
        raise
