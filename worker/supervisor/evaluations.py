"""Makes the folder of an evaluation ready: the policies that it plays, as the service holds them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from phylon.contract.protocol import Claim, EvaluationPayload, PolicyReference
from phylon.evaluation_folder import POLICIES, RUNS, EvaluationOrder, policy_file, run_folder
from phylon.job_folder import write_request
from phylon.policy.names import ARCHIVE
from phylon.run_directory import RunRequest, install_checkpoint, locked, videos_dir, write_run
from phylon.worker.supervisor.download import fetch
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import FileMissing, Service


def prepare(service: Service, claim: Claim, folder: Path, logs: LogBuffer, is_cancelled: Callable[[], bool]) -> int:
    """History goes on where it ends: what was played stays so. A policy that is gone is left out, and the evaluation
    says so."""
    payload = cast(EvaluationPayload, claim.payload)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        discard_files(folder)
        for place, reference in enumerate(payload.policies):
            try:
                _fetch_policy(service, folder, place, reference, is_cancelled)
            except FileMissing as error:
                logs.add("supervisor", str(error))
        write_request(folder, EvaluationOrder(payload=payload, next_seq=claim.next_seq))
    return claim.next_seq


def discard_files(folder: Path) -> None:
    """All but the spool."""
    for path in (folder / POLICIES, folder / RUNS, folder / "made", videos_dir(folder)):
        shutil.rmtree(path, ignore_errors=True)


def _fetch_policy(
    service: Service, folder: Path, place: int, reference: PolicyReference, is_cancelled: Callable[[], bool]
) -> None:
    source = reference.checkpoint_of
    if source is None:
        if reference.file == ARCHIVE:
            path = policy_file(folder, place)
            path.parent.mkdir(exist_ok=True)
            fetch(service, reference.artifact_id, reference.sha256, path, is_cancelled)
        return
    run_dir, arrived = run_folder(folder, place), folder / "checkpoint.part"
    fetch(service, reference.artifact_id, reference.sha256, arrived, is_cancelled)
    write_run(run_dir, RunRequest(run_id=source.run_id, seed=source.seed, spec=source.spec))
    blocks: list[tuple[Path, str]] = []
    for block in source.blocks:
        path = folder / Path(block.file).name
        fetch(service, block.artifact_id, block.sha256, path, is_cancelled)
        blocks.append((path, block.sha256))
    install_checkpoint(run_dir, arrived, 0, reference.sha256, reference.file, blocks)
