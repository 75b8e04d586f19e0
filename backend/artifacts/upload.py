"""Takes a file from a worker, whole or in parts, and stores it when all of it is here and has the announced hash.

What arrived stays when the connection breaks: the worker asks how much that is and goes on there.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

import anyio.to_thread

from phylon.backend.artifacts import service, storage
from phylon.backend.artifacts.service import UploadDamaged
from phylon.backend.artifacts.storage import StorageFull
from phylon.backend.context import Context
from phylon.backend.jobs import fence
from phylon.backend.kit.errors import PlatformError
from phylon.contract.protocol import ArtifactStored, UploadState


class PartMissing(PlatformError):
    """The bytes before this part are not here."""

    status_code = 416

    def __init__(self, name: str, offset: int, received: int) -> None:
        super().__init__(
            f"A part of {name} begins at byte {offset}, but only {received} bytes are here.",
            "Ask how many bytes are here and go on there.",
        )


class File(NamedTuple):
    """What a worker says about a file that it sends."""

    job_id: int
    attempt: int
    name: str
    sha256: str
    step: int


async def receive(
    context: Context, chunks: AsyncIterator[bytes], file: File, offset: int, total: int | None
) -> ArtifactStored:
    """No transaction is open while bytes arrive, so the fence is asked before (to refuse early) and after."""
    state = await anyio.to_thread.run_sync(find, context, file)
    if state.artifact_id is not None:  # only the answer was lost
        return ArtifactStored(artifact_id=state.artifact_id, received=state.received)
    if offset > state.received:
        raise PartMissing(file.name, offset, state.received)
    end = await _write(context, file, offset, chunks)
    if total is not None and end < total:
        return ArtifactStored(artifact_id=None, received=end)
    return await anyio.to_thread.run_sync(_store, context, file)


def find(context: Context, file: File) -> UploadState:
    """How much of the file is here. The worker that asks holds the job, or learns that it does not."""
    with context.database.write() as session:
        job, _ = fence.enter(session, file.job_id, file.attempt)
        fence.renew(job, context.settings.lease_seconds)
        stored = service.find_stored(session, file.job_id, file.name, file.sha256)
        if stored is not None:
            return UploadState(received=stored.bytes, artifact_id=stored.id)
    return UploadState(received=context.artifacts.received(_path(file)), artifact_id=None)


async def _write(context: Context, file: File, offset: int, chunks: AsyncIterator[bytes]) -> int:
    """Returns where the file ends now."""
    store, path = context.artifacts, _path(file)

    def write(data: bytes) -> None:
        check_room(context, len(data))
        store.write(path, offset, data)

    buffer = bytearray()
    async for chunk in chunks:
        buffer += chunk
        while len(buffer) >= store.block_bytes:
            await anyio.to_thread.run_sync(write, bytes(buffer[: store.block_bytes]))
            offset += store.block_bytes
            del buffer[: store.block_bytes]
    if buffer or offset == 0:  # a file may be empty
        await anyio.to_thread.run_sync(write, bytes(buffer))
    return offset + len(buffer)


def check_room(context: Context, needed: int) -> None:
    free = context.artifacts.free_bytes()
    if free is not None and free - needed < context.settings.least_free_bytes:
        raise StorageFull(free)


def _store(context: Context, file: File) -> ArtifactStored:
    store, upload = context.artifacts, _path(file)
    received = store.digest(upload)
    if received.sha256 != file.sha256:
        store.discard(upload)
        raise UploadDamaged(file.name, file.sha256, received)
    path = storage.new_path(file.job_id, file.name)
    store.keep(upload, path)
    try:
        with context.database.write() as session:
            return service.store(session, context, path, received, **file._asdict())
    except PlatformError:
        store.delete([path])  # after any other error the row may be there: what is nobody's is swept later
        raise


def _path(file: File) -> str:
    return storage.upload_path(file.job_id, file.name, file.sha256)
