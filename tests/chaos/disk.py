"""Small disks that can be filled to the last byte. They need the right to mount; elsewhere there are none."""

import contextlib
import subprocess
from pathlib import Path

_PIECE = bytes(2**16)


class SmallDisk:
    """A file system in memory, mounted at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / ".filler"

    def fill(self) -> None:
        with contextlib.suppress(OSError), self._filler.open("ab", buffering=0) as filler:
            while filler.write(_PIECE):
                pass

    def make_room(self) -> None:
        self._filler.unlink(missing_ok=True)

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=True)


def mount(path: Path, megabytes: int) -> SmallDisk | None:
    path.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path)]
    with contextlib.suppress(FileNotFoundError):
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return SmallDisk(path)
    return None
