"""What the folder of a job holds that is no run: its launcher and its process share it on disk.

request.json    what to do, and what is done already; written by the launcher before the start
events.jsonl    the spool: one event a line, line number = seq
lock            held by the process while it lives
"""

from pathlib import Path
from typing import TypeVar

from phylon.contract.protocol import EnvironmentCheckPayload
from phylon.run_directory import replace_file
from phylon.spec.distributions import Model
from phylon.spool import SPOOL_FILE, cut_spool

REQUEST_FILE = "request.json"


class JobRequest(Model):
    next_seq: int
    """Number of the first event to report."""


class EnvironmentCheckOrder(JobRequest):
    payload: EnvironmentCheckPayload


RequestType = TypeVar("RequestType", bound=JobRequest)


def write_request(folder: Path, request: JobRequest) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SPOOL_FILE).unlink(missing_ok=True)  # what was reported is stored; what was not is done again
    cut_spool(folder / SPOOL_FILE, request.next_seq)
    replace_file(folder / REQUEST_FILE, request.model_dump_json(indent=1).encode())


def read_request(folder: Path, model: type[RequestType]) -> RequestType:
    return model.model_validate_json((folder / REQUEST_FILE).read_bytes())
