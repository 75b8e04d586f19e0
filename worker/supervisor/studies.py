"""One runtime study, from its claim to its end: claim, spawn, tell what it measured, obey."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from phylon import study
from phylon.contract.protocol import ClaimRequest, DeviceKind, StudyClaim, StudyEnd, StudyHeartbeat
from phylon.study import Study
from phylon.worker.supervisor.device import trainer_device_variables
from phylon.worker.supervisor.service import Service, ServiceError, ServiceUnreachable, persistently
from phylon.worker.supervisor.settings import SECRETS

LOG_FILE = "study.log"
CLAIM_PATIENCE_SECONDS = 30.0
TELLING_PATIENCE_SECONDS = 60.0
"""Then the lease runs out, and what is measured waits in this worker's folder."""
BEATS_PER_LEASE = 3
WATCH_SECONDS = 0.1
REFUSED = 2

Outcome = Literal["finished", "stopped", "failed", "crashed", "worker_shutdown"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StudySupervisor:
    """What every study of this worker shares."""

    service: Service
    folders: Path
    device: DeviceKind
    worker_id: Callable[[], int]
    is_leaving: Callable[[], bool]

    def execute(self, study_id: int) -> None:
        """Returns when the study has ended, was given back, or turned out to be someone else's."""
        if self.is_leaving():
            return
        request = ClaimRequest(worker_id=self.worker_id())
        try:
            claim = persistently(
                lambda: self.service.claim_study(study_id, request), CLAIM_PATIENCE_SECONDS, self.is_leaving
            )
        except ServiceError as error:
            log.info("study %d is not taken: %s", study_id, error)
            return
        folder = self.folders / f"study-{study_id}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / study.SPEC_FILE).write_text(json.dumps(claim.spec), encoding="utf-8")
        process = StudyProcess(folder, self.device)
        log.info("study %d: attempt %d begins as process %d", study_id, claim.attempt, process.pid)
        teller = Teller(self.service, claim, folder, process)
        try:
            end = self._watch(claim, process, teller)
            process.finish()
            persistently(teller.tell, TELLING_PATIENCE_SECONDS, lambda: False)
            persistently(lambda: self.service.end_study(study_id, end), TELLING_PATIENCE_SECONDS, lambda: False)
            log.info("study %d: %s", study_id, end.outcome)
        except ServiceError as error:
            log.warning("study %d is abandoned: %s", study_id, error)
        finally:
            process.finish()

    def _watch(self, claim: StudyClaim, process: "StudyProcess", teller: "Teller") -> StudyEnd:
        """How the attempt ended, or must end."""
        beat_at = 0.0
        while process.exit_code is None:
            if self.is_leaving():
                return _end(claim, "worker_shutdown", "the worker ends")
            if time.monotonic() >= beat_at or teller.has_news():
                beat_at = time.monotonic() + claim.lease_seconds / BEATS_PER_LEASE
                try:
                    if teller.tell() == "stop":
                        return _end(claim, "stopped", "")
                except ServiceUnreachable as error:
                    log.warning("study %d: the service cannot be reached; it goes on (%s)", claim.study_id, error)
            time.sleep(WATCH_SECONDS)
        outcomes: dict[int, Outcome] = {0: "finished", REFUSED: "failed"}
        return _end(claim, outcomes.get(process.exit_code, "crashed"), process.last_words())


class Teller:
    """Tells the service what is new in the study's file; at first all of it, since another worker may have begun."""

    def __init__(self, service: Service, claim: StudyClaim, folder: Path, process: "StudyProcess") -> None:
        self._service, self._claim, self._process = service, claim, process
        self._file = folder / study.STUDY_FILE
        self._told = self._seen_bytes = 0

    def has_news(self) -> bool:
        """Cells are told as they are measured; if that fails once, the next beat tries again and not we."""
        return self._bytes() > self._seen_bytes

    def tell(self) -> Literal["continue", "stop"]:
        self._seen_bytes = self._bytes()
        found = self._read()
        new = list(found.measurements[self._told :]) if found else []
        heartbeat = StudyHeartbeat(
            attempt=self._claim.attempt,
            machine=found.machine if found else None,
            position=self._told,
            measurements=new,
            progress=self._process.progress,
        )
        command = self._service.study_heartbeat(self._claim.study_id, heartbeat).command
        self._told += len(new)
        return command

    def _bytes(self) -> int:
        return self._file.stat().st_size if self._file.exists() else 0

    def _read(self) -> Study | None:
        try:
            return study.read(self._file)
        except FileNotFoundError:
            return None


class StudyProcess:
    """`python -m phylon.worker.studies`, in a process group of its own."""

    def __init__(self, folder: Path, device: DeviceKind) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        self._log = folder / LOG_FILE
        with self._log.open("wb") as log_file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "phylon.worker.studies", str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                start_new_session=True,
                env=environment | trainer_device_variables(device),
            )
        self.progress = "starting"
        self._reader = threading.Thread(target=self._read, name="study-output", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-5:]) or f"exit code {self.exit_code}"

    def finish(self) -> None:
        """Kill whatever is left of the group. What is measured is on disk."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(timeout=10.0)
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                with contextlib.suppress(ValueError, KeyError, TypeError):  # a library's own chatter
                    self.progress = str(json.loads(line)["text"])


def _end(claim: StudyClaim, outcome: Outcome, detail: str) -> StudyEnd:
    return StudyEnd(attempt=claim.attempt, outcome=outcome, detail=detail)
