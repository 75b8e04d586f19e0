"""Asks the engine for something that only it can do, in a process of its own: the CLI itself never loads JAX."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from phylon.cli.exits import BadInput, WorkFailed
from phylon.cli.extras import require_worker

REFUSED = 2


def ask_engine(module: str, *arguments: str | Path) -> Any:
    """`python -m MODULE ARGUMENTS`: what it answers in JSON."""
    require_worker()
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stderr.strip().splitlines()
    if done.returncode == REFUSED and said:
        raise BadInput(said[-1])
    if done.returncode:
        raise WorkFailed(f"the engine ended with exit code {done.returncode}:\n" + "\n".join(said[-15:]))
    return json.loads(done.stdout.splitlines()[-1])
