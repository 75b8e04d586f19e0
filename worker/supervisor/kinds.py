"""What the supervisor must know about a kind of job: how its folder is made ready, what runs there, what it reports."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter

from phylon.contract.environment_check_events import environment_check_event
from phylon.contract.evaluation_events import evaluation_event
from phylon.contract.events import run_event
from phylon.contract.protocol import Claim, EnvironmentCheckPayload, JobKindName, StudyPayload
from phylon.contract.study_events import study_event
from phylon.job_folder import EnvironmentCheckOrder, JobRequest, write_request
from phylon.run_directory import locked
from phylon.study_folder import StudyRequest
from phylon.worker.supervisor import evaluations, runs
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import Service

Prepare = Callable[[Service, Claim, Path, LogBuffer, Callable[[], bool]], int]


class JobKind(NamedTuple):
    module: str
    """Started as `python -m MODULE FOLDER`."""
    events: TypeAdapter[Any]
    prepare: Prepare
    """Makes the folder agree with what the service holds; returns the number of the first event to be reported."""
    discard: Callable[[Path], None]
    """The job has ended and the service holds what matters: delete what is large."""


def _keep(folder: Path) -> None:
    """Nothing there is large."""


def _order(make: Callable[[Claim], JobRequest]) -> Prepare:
    """For jobs that need no files: history goes on where it ends, and what is done stays so."""

    def prepare(service: Service, claim: Claim, folder: Path, logs: LogBuffer, is_cancelled: Callable[[], bool]) -> int:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            write_request(folder, make(claim))
        return claim.next_seq

    return prepare


def _study(claim: Claim) -> StudyRequest:
    payload = cast(StudyPayload, claim.payload)
    return StudyRequest(**dict(payload), next_seq=claim.next_seq, if_other_machine="start over")


def _environment_check(claim: Claim) -> EnvironmentCheckOrder:
    return EnvironmentCheckOrder(payload=cast(EnvironmentCheckPayload, claim.payload), next_seq=claim.next_seq)


KINDS: dict[JobKindName, JobKind] = {
    "run": JobKind("phylon.worker.training", run_event, runs.prepare, runs.discard_files),
    "study": JobKind("phylon.worker.studies", study_event, _order(_study), _keep),
    "evaluation": JobKind(
        "phylon.worker.policies.evaluation", evaluation_event, evaluations.prepare, evaluations.discard_files
    ),
    "environment_check": JobKind(
        "phylon.worker.environments.checking.job", environment_check_event, _order(_environment_check), _keep
    ),
}
