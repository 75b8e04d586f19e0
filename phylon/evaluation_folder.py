"""The folder of an evaluation, as `phylon.job_folder` describes it, with

policies/PLACE.zip    an exported policy; missing where the service no longer holds it
runs/PLACE/           the directory of a run with one checkpoint, where the policy is to be made of it
videos/               films
"""

from pathlib import Path

from phylon.contract.protocol import EvaluationPayload
from phylon.job_folder import JobRequest

POLICIES, RUNS = "policies", "runs"


class EvaluationOrder(JobRequest):
    payload: EvaluationPayload


def policy_file(folder: Path, place: int) -> Path:
    return folder / POLICIES / f"{place}.zip"


def run_folder(folder: Path, place: int) -> Path:
    return folder / RUNS / str(place)


def film_file(place: int, episode: int) -> str:
    return f"policy-{place}-episode-{episode}.mp4"
