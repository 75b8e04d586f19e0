"""The folder of an evaluation: what the supervisor and the evaluation's process share on disk.

request.json          what to play, and what was played already; written by the supervisor before the start
policies/PLACE.zip    an exported policy; missing where the service no longer holds it
runs/PLACE/           the directory of a run with one checkpoint, where the policy is to be made of it
videos/               films
events.jsonl          the spool: one event a line, line number = seq
lock                  held by the process while it lives
"""

from pathlib import Path

from phylon.contract.protocol import EvaluationPayload
from phylon.run_directory import replace_file
from phylon.spec.distributions import Model
from phylon.spool import SPOOL_FILE, cut_spool

REQUEST_FILE = "request.json"
POLICIES, RUNS = "policies", "runs"


class EvaluationOrder(Model):
    payload: EvaluationPayload
    next_seq: int
    """Number of the first event to report."""


def write_order(folder: Path, order: EvaluationOrder) -> None:
    (folder / SPOOL_FILE).unlink(missing_ok=True)  # what was reported is stored; what was not is played again
    cut_spool(folder / SPOOL_FILE, order.next_seq)
    replace_file(folder / REQUEST_FILE, order.model_dump_json(indent=1).encode())


def read_order(folder: Path) -> EvaluationOrder:
    return EvaluationOrder.model_validate_json((folder / REQUEST_FILE).read_bytes())


def policy_file(folder: Path, place: int) -> Path:
    return folder / POLICIES / f"{place}.zip"


def run_folder(folder: Path, place: int) -> Path:
    return folder / RUNS / str(place)


def film_file(place: int, episode: int) -> str:
    return f"policy-{place}-episode-{episode}.mp4"
