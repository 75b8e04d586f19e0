"""What a check is given and what it answers."""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

Level = Literal["ok", "warning", "error"]


class Machine(NamedTuple):
    home: Path
    environment: Mapping[str, str]
    """As processes of Phylon would get it."""

    @property
    def api_url(self) -> str | None:
        """None where nobody named one."""
        return self.environment.get("PHYLON_API_URL") or None


class Finding(NamedTuple):
    check: str
    level: Level
    message: str
    remedy: str | None


class ChildFailed(Exception):
    """A process of a check did not end well; the message says how."""


def ok(check: str, message: str) -> Finding:
    return Finding(check, "ok", message, None)


def warning(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, "warning", message, remedy)


def error(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, "error", message, remedy)


def is_installed(module: str) -> bool:
    return find_spec(module) is not None


def run_child(machine: Machine, arguments: list[str], seconds: float) -> str:
    """What `python ARGUMENTS` prints. Raises `ChildFailed`."""
    environment = dict(os.environ) | dict(machine.environment) | {"PHYLON_HOME": str(machine.home)}
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ChildFailed(f"no answer within {seconds:g} s") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise ChildFailed(last[0])
    return done.stdout
