"""The lines of a worker's processes, in a process of their own: logging is set up once for each."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
CODE = """
import logging
from phylon.worker.core import logging as ours
ours.configure_job()
with ours.bound(worker="first"):
    try:
        secret = "a-secret-in-a-variable"
        1 / 0
    except ZeroDivisionError:
        logging.getLogger("trainer").exception("job %d failed", 7)
logging.getLogger("library").info("a remark")
"""


def lines(**variables: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()


def test_json_lines_name_job_and_attempt_and_show_no_variables():
    [line] = lines(PHYLON_LOG_FORMAT="json", PHYLON_JOB_ID="7", PHYLON_ATTEMPT="2")
    said = json.loads(line)
    assert (said["event"], said["level"], said["logger"]) == ("job 7 failed", "error", "trainer")
    assert (said["job_id"], said["attempt"], said["worker"]) == (7, 2, "first")
    assert said["exception"][0]["exc_type"] == "ZeroDivisionError"
    assert "a-secret-in-a-variable" not in json.dumps([frame.get("locals") for frame in said["exception"][0]["frames"]])


def test_without_the_variable_lines_are_for_people():
    text = lines()
    assert "ERROR trainer: job 7 failed" in text[0] and text[-1].startswith("ZeroDivisionError")
