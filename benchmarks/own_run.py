"""A run of Phylon as a user would start it, in its own process."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from phylon.contract.events import Metrics, RunEvent
from phylon.spool import SPOOL_FILE, SpoolReader

Frames = dict[str, list[float]]


def train(spec: dict[str, Any], **environment: str) -> list[RunEvent]:
    """All events of the run; `environment`: additional variables."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder, "spec.yaml"), Path(folder, "run")
        file.write_text(json.dumps(spec))  # which is YAML, too
        command = [sys.executable, "-m", "phylon", "train", str(file), "--out", str(out)]
        subprocess.run(command, check=True, env=os.environ | environment)
        return SpoolReader(out / SPOOL_FILE).read()


def frames_of(events: list[RunEvent]) -> list[Frames]:
    return [event.frames for event in events if isinstance(event, Metrics)]
