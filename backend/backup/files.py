"""The files of a service: artifacts by their path below the artifact directory, settings directly in its home."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

_LARGEST_SETTING = 64 * 1024
_NO_SETTINGS = (".db", "-wal", "-shm", "-journal", ".lock", ".log", ".part", ".tar")


def settings_files(home: Path) -> Iterator[Path]:
    """Small files in the home itself, secrets among them: the token of workers is one. Everything large has a folder of
    its own there."""
    for file in sorted(home.iterdir()) if home.is_dir() else []:
        with suppress(FileNotFoundError):
            if file.is_file() and not file.name.endswith(_NO_SETTINGS) and file.stat().st_size <= _LARGEST_SETTING:
                yield file


def open_artifact(root: Path, path: str) -> IO[bytes]:
    """Raises `FileNotFoundError`. What is open can be read to its end, also when it is deleted meanwhile."""
    return (root / path).open("rb")


def place(root: Path, path: str, stream: IO[bytes]) -> None:
    """Whole or not at all, readable by its owner alone."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=".", suffix=".part", delete=False) as handle:
        part = Path(handle.name)
        try:
            shutil.copyfileobj(stream, handle, 1 << 20)
            handle.flush()
            os.fsync(handle.fileno())
            part.replace(file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
