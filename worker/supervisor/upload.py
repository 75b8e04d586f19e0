"""Sends one checkpoint to the service beside the heartbeats, for however long that takes."""

import threading
from pathlib import Path

from phylon.events import Checkpoint
from phylon.protocol import Claim
from worker.supervisor.logs import LogBuffer
from worker.supervisor.service import Service, ServiceUnreachable, pauses
from worker.training.run_directory import checkpoints_dir


class Upload:
    """Starts at construction and tries until the service has the file, refuses it, or `cancel` is called."""

    def __init__(self, service: Service, claim: Claim, run_dir: Path, event: Checkpoint, logs: LogBuffer) -> None:
        self._service, self._claim, self._event, self._logs = service, claim, event, logs
        self._path = checkpoints_dir(run_dir) / Path(event.file).name
        self._cancelled = threading.Event()
        self._done = threading.Event()
        self._error: Exception | None = None
        threading.Thread(target=self._run, name=f"upload-{self._path.name}", daemon=True).start()

    def is_done(self) -> bool:
        """Raises what made the upload impossible."""
        if self._error is not None:
            raise self._error
        return self._done.is_set()

    def cancel(self) -> None:
        self._cancelled.set()

    def _run(self) -> None:
        for pause in pauses():
            try:
                self._service.upload(
                    self._claim.run_id, self._claim.attempt, self._path, self._event.sha256, self._event.step
                )
                self._done.set()
                return
            except FileNotFoundError:
                # The trainer keeps its last two only, and made newer ones while the service was away.
                self._logs.add("supervisor", f"checkpoint {self._path.name} was replaced before it could be uploaded")
                self._done.set()
                return
            except ServiceUnreachable:
                if self._cancelled.wait(pause):
                    return
            except Exception as error:
                self._error = error
                return
