"""Makes the run directory agree with what the service holds, before a trainer starts in it.

A directory may be taken up as it is only when the attempt before this one worked in it too: then its spool continues
what the service stored. Otherwise another worker went on meanwhile, with other event numbers, and the directory starts
over from a checkpoint of the service: the newest whose file is there and whole.
"""

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from phylon.contract.protocol import CheckpointReference, Claim, RunPayload
from phylon.policy.names import ARCHIVE
from phylon.run_directory import (
    START_FILE,
    RunRequest,
    checkpoints_dir,
    install_checkpoint,
    latest_checkpoint,
    locked,
    read_run,
    replace_file,
    rewind,
    spool_path,
    videos_dir,
    write_run,
)
from phylon.worker.supervisor.download import DOWNLOAD_TRIES, fetch
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import FileMissing, Service, retry_while_unreachable

ATTEMPT_FILE = "attempt.json"

log = logging.getLogger(__name__)


def prepare(service: Service, claim: Claim, run_dir: Path, logs: LogBuffer, is_cancelled: Callable[[], bool]) -> int:
    """The directory is ready for a trainer; returns the number of the first event that it will write."""
    payload = cast(RunPayload, claim.payload)
    run_dir.mkdir(parents=True, exist_ok=True)
    request = RunRequest(run_id=payload.run_id, seed=payload.seed, spec=payload.spec)
    with locked(run_dir):
        if not _continues(run_dir, claim, request):
            _clear(run_dir)
        write_run(run_dir, request)
        for reference in payload.checkpoints:
            if _holds(run_dir, reference):
                break
            _clear(run_dir)
            write_run(run_dir, request)
            try:
                _download(service, reference, run_dir, is_cancelled)
                break
            except CheckpointUnusable as error:
                logs.add("supervisor", f"{error}; the one before it has to serve")
        else:
            if payload.checkpoints:
                logs.add("supervisor", "no checkpoint is left: the run starts over")
        if payload.start is not None:
            # Even where a checkpoint is there: that one may turn out to be broken, and then the run begins again.
            fetch(service, payload.start.artifact_id, payload.start.sha256, run_dir / START_FILE, is_cancelled)
        next_seq = rewind(run_dir)
        replace_file(run_dir / ATTEMPT_FILE, json.dumps({"attempt": claim.attempt}).encode())
    return next_seq


class CheckpointUnusable(Exception):
    """The service cannot give the checkpoint that it named."""


def discard_files(run_dir: Path) -> None:
    """The run has ended and the service holds what matters; only the spool is worth its place."""
    for folder in (checkpoints_dir(run_dir), videos_dir(run_dir)):
        shutil.rmtree(folder, ignore_errors=True)
    for name in (ARCHIVE, START_FILE):
        (run_dir / name).unlink(missing_ok=True)


def _continues(run_dir: Path, claim: Claim, request: RunRequest) -> bool:
    try:
        attempt = json.loads((run_dir / ATTEMPT_FILE).read_bytes())["attempt"]
        return attempt == claim.attempt - 1 and read_run(run_dir) == request
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _holds(run_dir: Path, reference: CheckpointReference) -> bool:
    """The directory's own checkpoint is at least as new as the service's."""
    own = latest_checkpoint(run_dir)
    return own is not None and own.next_seq >= reference.next_seq


def _clear(run_dir: Path) -> None:
    discard_files(run_dir)
    for name in (spool_path(run_dir).name, "strategy.json", ATTEMPT_FILE):
        (run_dir / name).unlink(missing_ok=True)


def _download(
    service: Service, reference: CheckpointReference, run_dir: Path, is_cancelled: Callable[[], bool]
) -> None:
    part = run_dir / "checkpoint.part"
    for remaining in reversed(range(DOWNLOAD_TRIES)):
        try:
            retry_while_unreachable(lambda: service.download(reference.artifact_id, part), float("inf"), is_cancelled)
            install_checkpoint(run_dir, part, reference.next_seq, reference.sha256, reference.file)
            return
        except FileMissing as error:
            raise CheckpointUnusable(str(error)) from error
        except ValueError as error:
            if remaining == 0:
                raise CheckpointUnusable(str(error)) from error
            log.warning("%s; %d tries left", error, remaining)
