"""Sends one file of a job to the service beside the heartbeats, for however long that takes."""

import threading
from pathlib import Path

from phylon.contract.events import Checkpoint, Video
from phylon.contract.protocol import Claim
from phylon.run_directory import checkpoints_dir, videos_dir
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import RequestRefused, Service, ServiceUnreachable, retry_while_unreachable

Uploaded = (Checkpoint, Video)
"""Events about a file that the service must hold before it hears of it."""


class Upload:
    """Starts at construction and tries until the service has the file, refuses it, or `cancel` is called."""

    def __init__(
        self, service: Service, claim: Claim, folder: Path, event: Checkpoint | Video, logs: LogBuffer
    ) -> None:
        self._service, self._claim, self._event, self._logs = service, claim, event, logs
        place = videos_dir(folder) if isinstance(event, Video) else checkpoints_dir(folder)
        self._path = place / Path(event.file).name
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
        claim, event = self._claim, self._event
        try:
            retry_while_unreachable(
                lambda: self._service.upload(claim.job_id, claim.attempt, self._path, event.sha256, event.step),
                float("inf"),
                self._cancelled.is_set,
            )
            self._done.set()
        except FileNotFoundError:
            # The trainer keeps its last two checkpoints only, and made newer ones while the service was away.
            self._leave_out("it was gone before it could be uploaded")
        except ServiceUnreachable:
            pass  # cancelled
        except Exception as error:
            if isinstance(event, Video) and isinstance(error, RequestRefused):
                self._leave_out(str(error))  # no reason to end a run
            else:
                self._error = error

    def _leave_out(self, why: str) -> None:
        self._logs.add("supervisor", f"{self._event.kind} {self._path.name} is not stored: {why}")
        self._done.set()
