"""Removes the folders of jobs that have ended or were deleted. Only the service knows which these are."""

import fcntl
import logging
import shutil
import threading
from pathlib import Path

from phylon.contract.protocol import JobFolders
from phylon.worker.supervisor.service import Service, ServiceError
from phylon.worker.supervisor.station import job_of

INTERVAL_SECONDS = 600.0
MOST_AT_ONCE = 1000
_SWEPT = ".swept-"

log = logging.getLogger(__name__)


class FolderSweeper:
    """Sweeps at the start and every few minutes, in a thread of its own."""

    def __init__(self, service: Service, folders: Path) -> None:
        self._service, self._folders = service, folders
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="folder-sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                sweep(self._service, self._folders)
            except (ServiceError, OSError) as error:
                log.warning("folders of ended jobs could not be swept: %s", error)
            self._ended.wait(INTERVAL_SECONDS)


def sweep(service: Service, folders: Path) -> None:
    of_job: dict[int, list[Path]] = {}
    for path in folders.glob("*"):
        if (job_id := job_of(path.name)) is not None:
            of_job.setdefault(job_id, []).append(path)
    present = sorted(of_job)
    for start in range(0, len(present), MOST_AT_ONCE):
        asked = present[start : start + MOST_AT_ONCE]
        needed = set(service.find_needed_folders(JobFolders(job_ids=asked)).job_ids)
        for job_id in asked:
            if job_id not in needed:
                for path in of_job[job_id]:
                    _remove(path)
    for left in folders.glob(f"{_SWEPT}*"):  # by a sweep that was killed
        shutil.rmtree(left, ignore_errors=True)


def _remove(folder: Path) -> None:
    """Not while a process works there: it has yet to learn that its job is over. Then it goes in one step."""
    try:
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            swept = folder.with_name(f"{_SWEPT}{folder.name}")
            folder.replace(swept)
    except (BlockingIOError, FileNotFoundError):
        return
    shutil.rmtree(swept, ignore_errors=True)
    log.info("the folder of job %s is swept: the job has ended or was deleted", folder.name)
