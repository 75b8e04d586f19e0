"""Fetches a file that the service holds, whole: what arrives damaged is fetched again."""

import logging
from collections.abc import Callable
from pathlib import Path

from phylon.run_directory import file_sha256
from phylon.worker.supervisor.service import Service, retry_while_unreachable

DOWNLOAD_TRIES = 3

log = logging.getLogger(__name__)


def fetch(service: Service, artifact_id: int, sha256: str, path: Path, is_cancelled: Callable[[], bool]) -> None:
    """Nothing is done where `path` is that file already."""
    if path.exists() and file_sha256(path) == sha256:
        return
    part = path.with_name(path.name + ".part")
    for remaining in reversed(range(DOWNLOAD_TRIES)):
        retry_while_unreachable(lambda: service.download(artifact_id, part), float("inf"), is_cancelled)
        found = file_sha256(part)
        if found == sha256:
            part.replace(path)
            return
        log.warning("%s came damaged: its hash is %s, not %s; %d tries left", path.name, found, sha256, remaining)
    raise ValueError(f"{path.name} came damaged {DOWNLOAD_TRIES} times; look at the service's storage")
