"""What the kernel knows of processes that a benchmark started, and of theirs. One that has ended has used nothing."""

import os
import re
from pathlib import Path


def descendants(process: int) -> list[int]:
    everyone = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    children = [each for each in everyone if _numbers(each)[1:2] == [str(process)]]
    return [*children, *(each for child in children for each in descendants(child))]


def command_line(process: int) -> str:
    return _read(process, "cmdline").replace("\0", " ")


def peak_megabytes(process: int) -> float:
    """Of resident memory, with what it shares with others."""
    found = re.search(r"VmHWM:\s+(\d+) kB", _read(process, "status"))
    return int(found[1]) / 1000 if found else 0.0


def cpu_seconds(process: int) -> float:
    """Of all its threads."""
    return sum(map(int, _numbers(process)[11:13])) / os.sysconf("SC_CLK_TCK")


def _numbers(process: int) -> list[str]:
    """Of /proc/PID/stat, from the state on: the name before it may hold anything."""
    return _read(process, "stat").rpartition(")")[2].split()


def _read(process: int, file: str) -> str:
    try:
        return Path(f"/proc/{process}/{file}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
