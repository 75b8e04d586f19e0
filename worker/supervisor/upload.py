"""Sends one file of a job to the service beside the heartbeats, for however long that takes."""

import os
import threading
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

from phylon.contract.evaluation_events import EpisodeFilmed
from phylon.contract.events import Block, Checkpoint, PolicyWritten, Video
from phylon.contract.protocol import Claim, UploadState
from phylon.run_directory import checkpoints_dir, videos_dir
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import (
    RequestRefused,
    Service,
    ServiceFull,
    ServiceUnreachable,
    retry_while_unreachable,
)

Uploaded = Checkpoint | Video | PolicyWritten | EpisodeFilmed
"""Events about a file that the service must hold before it hears of it."""

PART_BYTES = 8 * 2**20
"""Sent in one request; what was sent before a connection breaks is not sent again."""


BLOCKS_SECONDS = 0.5
"""Between two looks whether the service has a block that another worker sends."""
FILM_SECONDS = 60.0
"""How long a film of another worker's member is waited for."""


class FileToSend(NamedTuple):
    kind: str
    path: Path
    step: int
    sha256: str
    blocks: tuple[Block, ...] = ()
    """Files that others send, without which this one is of no use."""


def file_of(folder: Path, event: Uploaded) -> FileToSend:
    blocks = event.blocks if isinstance(event, Checkpoint) else ()
    return FileToSend(event.kind, _place(folder, event) / Path(event.file).name, event.step, event.sha256, blocks)


class Upload:
    """Starts at construction and tries until the service has the file, refuses it, or `cancel` is called."""

    def __init__(self, service: Service, claim: Claim, file: FileToSend, logs: LogBuffer) -> None:
        self._service, self._claim, self._file, self._logs = service, claim, file, logs
        self._path = file.path
        self._cancelled = threading.Event()
        self._done = threading.Event()
        self._error: Exception | None = None
        self._has_reported_no_room = False
        threading.Thread(target=self._run, name=f"upload-{self._path.name}", daemon=True).start()

    def is_done(self) -> bool:
        """Raises what made the upload impossible."""
        if self._error is not None:
            raise self._error
        return self._done.is_set()

    def cancel(self) -> None:
        self._cancelled.set()

    def _run(self) -> None:
        try:
            if self._path.exists() or not self._is_anothers_film():
                with self._path.open("rb") as file:  # once opened it is sent whole, even if unlinked meanwhile
                    retry_while_unreachable(lambda: self._send(file), float("inf"), self._cancelled.is_set)
            for block in self._file.blocks:
                self._wait_for(block.file, block.sha256)
            self._done.set()
        except FileNotFoundError:
            # The trainer keeps its last two checkpoints only, and made newer ones while the service was away.
            self._leave_out("it was gone before it could be uploaded")
        except ServiceUnreachable:
            pass  # cancelled
        except Exception as error:
            if self._file.kind != "checkpoint" and isinstance(error, RequestRefused):
                self._leave_out(str(error))  # no reason to end a run
            else:
                self._error = error

    def _is_anothers_film(self) -> bool:
        """Members are filmed where they live."""
        if self._claim.seat is None or self._file.kind == "checkpoint":
            return False
        deadline = time.monotonic() + FILM_SECONDS
        while not self._is_with_service(self._path.name, self._file.sha256):
            if time.monotonic() > deadline:
                return False
            self._pause()
        return True

    def _wait_for(self, name: str, sha256: str) -> None:
        """Until another worker has sent it. Where this worker's own file is gone meanwhile, so is that one."""
        while not self._is_with_service(name, sha256):
            if not self._path.exists():
                raise FileNotFoundError(name)
            self._pause()

    def _is_with_service(self, name: str, sha256: str) -> bool:
        place = self._claim.job_id, self._claim.attempt, name, sha256
        state = retry_while_unreachable(lambda: self._service.find_upload(*place), float("inf"), self._cancelled.is_set)
        return state.artifact_id is not None

    def _pause(self) -> None:
        if self._cancelled.wait(BLOCKS_SECONDS):
            raise ServiceUnreachable("the upload was cancelled")

    def _send(self, file: BinaryIO) -> None:
        """Goes on where an earlier try ended, be it another process's."""
        claim, name = self._claim, self._path.name
        total = os.fstat(file.fileno()).st_size
        place = claim.job_id, claim.attempt, name, self._file.sha256
        state = UploadState(received=0, artifact_id=None)
        if total > PART_BYTES:
            state = self._service.find_upload(*place)
        while state.artifact_id is None:
            if self._cancelled.is_set():
                raise ServiceUnreachable("the upload was cancelled")
            offset = state.received
            file.seek(offset)
            try:
                stored = self._service.upload_part(*place, self._file.step, offset, total, file.read(PART_BYTES))
            except ServiceFull as error:
                self._report_no_room(error)
                raise
            state = UploadState(received=stored.received, artifact_id=stored.artifact_id)

    def _report_no_room(self, error: ServiceFull) -> None:
        if not self._has_reported_no_room:
            self._logs.add("supervisor", f"{self._path.name} waits until the service has room for it: {error}")
        self._has_reported_no_room = True

    def _leave_out(self, why: str) -> None:
        self._logs.add("supervisor", f"{self._file.kind} {self._path.name} is not stored: {why}")
        self._done.set()


def _place(folder: Path, event: Uploaded) -> Path:
    match event:
        case Checkpoint():
            return checkpoints_dir(folder)
        case Video() | EpisodeFilmed():
            return videos_dir(folder)
        case PolicyWritten():
            return folder
