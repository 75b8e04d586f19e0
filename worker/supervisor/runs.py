"""Makes the run directory agree with what the service holds, before a trainer starts in it.

A directory may be taken up as it is only when the attempt before this one worked in it too: then its spool continues
what the service stored. Otherwise another worker went on meanwhile, with other event numbers, and the directory starts
over from a checkpoint of the service: the newest whose file is there and whole.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from phylon.contract.protocol import BlockReference, CheckpointReference, Claim, RunPayload, Seat
from phylon.launch import block_of
from phylon.policy.names import ARCHIVE
from phylon.run_directory import (
    PACE_FILE,
    START_FILE,
    BlockRecord,
    CheckpointRecord,
    RunRequest,
    checkpoints_dir,
    latest_checkpoint,
    locked,
    read_run,
    record_checkpoint,
    replace_file,
    rewind,
    spool_path,
    videos_dir,
    write_run,
)
from phylon.spec import parse_spec, segment_steps
from phylon.worker.supervisor.download import fetch
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import FileMissing, Service

ATTEMPT_FILE = "attempt.json"


def prepare(service: Service, claim: Claim, run_dir: Path, logs: LogBuffer, is_cancelled: Callable[[], bool]) -> int:
    """The directory is ready for a trainer; returns the number of the first event that it will write."""
    payload = cast(RunPayload, claim.payload)
    run_dir.mkdir(parents=True, exist_ok=True)
    request = RunRequest(run_id=payload.run_id, seed=payload.seed, spec=payload.spec)
    with locked(run_dir):
        if claim.seat is not None or not _continues(run_dir, claim, request):
            _clear(run_dir)
        write_run(run_dir, request)
        for reference in payload.checkpoints:
            if claim.seat is None and not reference.blocks and _holds(run_dir, reference):
                break
            _clear(run_dir)
            write_run(run_dir, request)
            try:
                _install(service, claim, reference, run_dir, is_cancelled)
                break
            except CheckpointUnusable as error:
                if claim.seat is not None:
                    raise  # all of a gang go on from the same one
                logs.add("supervisor", f"{error}; the one before it has to serve")
        else:
            if payload.checkpoints:
                logs.add("supervisor", "no checkpoint is left: the run starts over")
        if payload.start is not None:
            # Even where a checkpoint is there: that one may turn out to be broken, and then the run begins again.
            fetch(service, payload.start.artifact_id, payload.start.sha256, run_dir / START_FILE, is_cancelled)
        next_seq = rewind(run_dir)
        if claim.seat is None:  # with others, what lies here is a part of a checkpoint
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
    """Files of checkpoints stay, in case they are those that are wanted; without a record they count for nothing."""
    shutil.rmtree(videos_dir(run_dir), ignore_errors=True)
    for name in (ARCHIVE, spool_path(run_dir).name, "strategy.json", PACE_FILE, ATTEMPT_FILE):
        (run_dir / name).unlink(missing_ok=True)
    for record in checkpoints_dir(run_dir).glob("*.json"):
        record.unlink()


def _install(
    service: Service, claim: Claim, reference: CheckpointReference, run_dir: Path, is_cancelled: Callable[[], bool]
) -> None:
    payload = cast(RunPayload, claim.payload)
    members = int(payload.spec["population"]["size"])
    blocks = find_needed(reference, claim.seat, members)
    try:
        for each in (reference, *blocks):
            path = checkpoints_dir(run_dir) / Path(each.file).name
            fetch(service, each.artifact_id, each.sha256, path, is_cancelled)
    except (FileMissing, ValueError) as error:
        raise CheckpointUnusable(str(error)) from error
    number = int(reference.file.split(".")[0])
    record_checkpoint(
        run_dir,
        CheckpointRecord(
            number=number,
            step=number * segment_steps(parse_spec(payload.spec)),
            next_seq=reference.next_seq,
            sha256=reference.sha256,
            bytes=reference.bytes,
            file=reference.file,
            blocks=tuple(BlockRecord(file=each.file, sha256=each.sha256, bytes=each.bytes) for each in blocks),
        ),
    )


def find_needed(reference: CheckpointReference, seat: Seat | None, members: int) -> list[BlockReference]:
    """Beside the first file, which all need: those with members of this worker. However many wrote it."""
    if seat is None:
        return list(reference.blocks)
    own, written = block_of(seat.rank, seat.size, members), len(reference.blocks) + 1
    held = [block_of(rank, written, members) for rank in range(1, written)]
    return [
        block
        for block, has in zip(reference.blocks, held, strict=True)
        if has.start < own.stop and own.start < has.stop
    ]
