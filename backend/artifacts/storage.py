"""Where artifact bytes lie: one folder per job below the artifact directory.

A file is written under a temporary name and renamed when it is whole and its hash is right, so a reader never meets
half a file. Names hold a part of the hash: a newer file of the same name never overwrites one that is being read.
"""

import hashlib
import os
import shutil
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import anyio.to_thread

_BUFFER_BYTES = 1 << 20
_PART = ".part"
_STALE_SECONDS = 24 * 3600


class Received(NamedTuple):
    file: Path
    bytes: int
    sha256: str


def relative_path(job_id: int, name: str, sha256: str) -> str:
    return f"{job_id}/{sha256[:16]}-{name}"


async def receive(root: Path, job_id: int, chunks: AsyncIterator[bytes]) -> Received:
    """All chunks in a temporary file, flushed to disk; the caller keeps or deletes it."""
    file = root / str(job_id) / f".{uuid.uuid4().hex}{_PART}"
    digest, size = hashlib.sha256(), 0
    await anyio.to_thread.run_sync(lambda: file.parent.mkdir(parents=True, exist_ok=True))
    try:
        with file.open("wb") as handle:

            def write(data: bytes) -> None:
                digest.update(data)
                handle.write(data)

            def settle() -> None:
                handle.flush()
                os.fsync(handle.fileno())

            buffer = bytearray()
            async for chunk in chunks:
                buffer += chunk
                if len(buffer) >= _BUFFER_BYTES:
                    await anyio.to_thread.run_sync(write, bytes(buffer))
                    size += len(buffer)
                    buffer.clear()
            await anyio.to_thread.run_sync(write, bytes(buffer))
            size += len(buffer)
            await anyio.to_thread.run_sync(settle)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    return Received(file, size, digest.hexdigest())


def sweep(root: Path) -> None:
    """Remove what uploads left behind whose process was killed. Younger ones may belong to another API process."""
    for file in root.glob(f"*/.*{_PART}"):
        with suppress(FileNotFoundError):
            if time.time() - file.stat().st_mtime > _STALE_SECONDS:
                file.unlink()


def delete(root: Path, paths: list[str]) -> None:
    for path in paths:
        (root / path).unlink(missing_ok=True)


def delete_jobs(root: Path, job_ids: list[int]) -> None:
    for job_id in job_ids:
        shutil.rmtree(root / str(job_id), ignore_errors=True)
