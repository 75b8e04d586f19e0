"""Takes a file from a worker: streamed to disk, hashed on the way, stored when the hash is the announced one."""

from collections.abc import AsyncIterator

import anyio.to_thread

from phylon.backend.artifacts import service, storage
from phylon.backend.artifacts.service import UploadDamaged
from phylon.backend.context import Context
from phylon.backend.jobs import fence
from phylon.contract.protocol import ArtifactStored


async def receive(
    context: Context, chunks: AsyncIterator[bytes], *, job_id: int, name: str, attempt: int, sha256: str, step: int
) -> ArtifactStored:
    """No transaction is open while bytes arrive, so the fence is asked before (to refuse early) and after."""

    def check() -> None:
        with context.database.write() as session:
            fence.enter(session, job_id, attempt)

    await anyio.to_thread.run_sync(check)
    received = await storage.receive(context.settings.artifacts, job_id, chunks)

    def keep() -> ArtifactStored:
        with context.database.write() as session:
            return service.store(session, context, received, job_id=job_id, name=name, attempt=attempt, step=step)

    try:
        if received.sha256 != sha256:
            raise UploadDamaged(name, sha256, received)
        return await anyio.to_thread.run_sync(keep)
    finally:
        received.file.unlink(missing_ok=True)
