"""`python -m phylon.worker.environments.checking.job FOLDER`: checks what FOLDER/request.json names.

In a process of its own: what someone's own code does to it, crash or hang, is a result of the check, and says nothing
about the worker.
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from phylon.contract.environment_check_events import environment_check_event
from phylon.contract.environment_checks import EnvironmentReport
from phylon.job_folder import EnvironmentCheckOrder
from phylon.worker.core.errors import EngineError
from phylon.worker.core.job_process import Journal, serve
from phylon.worker.environments.checking.__main__ import REFUSED

PATIENCE_SECONDS = 900.0
LOOK_SECONDS = 0.2
SAID_LINES, LOGGED_LINES = 3, 200


def work(folder: Path, order: EnvironmentCheckOrder, journal: Journal) -> None:
    environment = order.payload.environment
    report = _check(folder, environment["id"], json.dumps(environment), journal)
    journal.done = 1
    journal.record("checked", report=report)


def _check(folder: Path, id: str, environment: str, journal: Journal) -> EnvironmentReport:
    command = [sys.executable, "-m", "phylon.worker.environments.checking", "--held", environment]
    answer, complaints = folder / "answer.txt", folder / "complaints.txt"  # nobody need read them meanwhile
    with (
        answer.open("wb") as said,
        complaints.open("wb") as complained,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=complained) as process,
    ):
        try:
            code = _wait(process, id, journal)
        finally:
            process.kill()
    lines, last = (path.read_text("utf-8", "replace").splitlines() for path in (answer, complaints))
    for line in last[-LOGGED_LINES:]:
        print(line, file=sys.stderr, flush=True)
    if code == REFUSED:
        refusal = json.loads(lines[-1])
        raise EngineError(refusal["message"], refusal["remedy"])
    if code:
        raise EngineError(
            f"the process that tried {id} {_describe_end(code)}: {' '.join(last[-SAID_LINES:]) or 'it said nothing'}",
            f"read the log, correct the environment, and try it with `phylon check-environment {id}` in the foreground",
        )
    return EnvironmentReport.model_validate_json(lines[-1])


def _wait(process: "subprocess.Popen[bytes]", id: str, journal: Journal) -> int:
    """Its exit code."""
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE_SECONDS:
        journal.pause_if_asked()
        try:
            return process.wait(LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    raise EngineError(
        f"{id} was not through after {PATIENCE_SECONDS / 60:.0f} minutes",
        "find out whether a reset or a step of it blocks, or takes seconds",
    )


def _describe_end(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


if __name__ == "__main__":
    serve("phylon.worker.environments.checking.job", environment_check_event, EnvironmentCheckOrder, work)
