"""How much room a worker has left for what its jobs write."""

import shutil
from pathlib import Path


def find_shortage(folder: Path, least_free_bytes: int) -> str | None:
    """In words, where less than that is free on the disk of `folder`."""
    while not folder.exists():  # it is made with the first job
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free >= least_free_bytes:
        return None
    return (
        f"the disk of {folder} has {free / 2**20:,.0f} MiB left, less than the {least_free_bytes / 2**20:,.0f} MiB of "
        "PHYLON_LEAST_FREE_MB; make room there"
    )
