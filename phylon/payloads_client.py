"""Studies, evaluations and checks of environments, as methods of `phylon.Client`: what jobs do beside training."""
# pyright: reportPrivateUsage=false
# What the functions below return becomes methods of a connection.

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from phylon.connection import Connection, text_of
from phylon.contract.environment_checks import EnvironmentCheck, EnvironmentCheckRequest
from phylon.contract.evaluations import EvaluationRequest, EvaluationSummary, PolicyChoice, StoredEvaluation
from phylon.contract.logs import LoggedLine
from phylon.contract.payloads import PayloadSummary
from phylon.contract.studies import StoredStudy, StudySummary
from phylon.contract.vocabulary import ACTIVE, Priority
from phylon.errors import PhylonUnreachable
from phylon.spec import RuntimeStudySpec, study_to_yaml
from phylon.spec.resources import ResourcesSpec

Policy = int | Mapping[str, Any]
"""Number of a run, or what `PolicyChoice` says."""

Stored = TypeVar("Stored", bound=PayloadSummary)
Ask = Callable[[Connection, int], Stored]
Logs = Callable[..., Iterator[LoggedLine]]


def _get(path: str, kind: type[Stored]) -> Ask[Stored]:
    def get(self: Connection, id: int) -> Stored:
        """With all that is known of it."""
        return self._get(f"{path}/{id}", kind)

    return _returning(kind, get)


def _act(path: str, kind: type[Stored], verb: str) -> Ask[Stored]:
    def act(self: Connection, id: int) -> Stored:
        return self._act(kind, f"{path}/{id}/{verb}")

    return _returning(kind, act)


def _returning(kind: type[Stored], method: Ask[Stored]) -> Ask[Stored]:
    """Says so where people and tests look for it."""
    method.__annotations__["return"] = kind
    return method


def _verbs(path: str, kind: type[Stored]) -> tuple[Ask[Stored], Ask[Stored], Ask[Stored], Ask[Stored]]:
    return _act(path, kind, "stop"), _act(path, kind, "pause"), _act(path, kind, "resume"), _act(path, kind, "retry")


def _delete(path: str) -> Callable[[Connection, int], None]:
    def delete(self: Connection, id: int) -> None:
        """For good, once it has ended."""
        self._transport.request("DELETE", f"{path}/{id}")

    return delete


def _logs(path: str) -> Logs:
    def logs(self: Connection, id: int, attempt: int | None = None) -> Iterator[LoggedLine]:
        """What its process and its supervisor printed."""
        return self._logs(f"{path}/{id}", attempt, lambda: True)

    return logs


def _wait(path: str, kind: type[Stored]) -> Callable[..., Stored]:
    get = _get(path, kind)

    def wait(self: Connection, id: int, patience: float = 60.0) -> Stored:
        """It, once it has ended. `PhylonUnreachable` when the service stays away for `patience` seconds."""
        heard = time.monotonic()
        while True:
            try:
                found = get(self, id)
                if found.status not in ACTIVE:
                    return found
                heard = time.monotonic()
            except PhylonUnreachable:
                if time.monotonic() - heard > patience:
                    raise
            time.sleep(0.5)

    return wait


class PayloadsClient(Connection):
    study = _get("/studies", StoredStudy)
    wait_for_study = _wait("/studies", StoredStudy)
    stop_study, pause_study, resume_study, retry_study = _verbs("/studies", StoredStudy)
    delete_study = _delete("/studies")
    study_logs = _logs("/studies")

    evaluation = _get("/evaluations", StoredEvaluation)
    wait_for_evaluation = _wait("/evaluations", StoredEvaluation)
    stop_evaluation, pause_evaluation, resume_evaluation, retry_evaluation = _verbs("/evaluations", StoredEvaluation)
    delete_evaluation = _delete("/evaluations")
    evaluation_logs = _logs("/evaluations")

    environment_check = _get("/environment-checks", EnvironmentCheck)
    wait_for_environment_check = _wait("/environment-checks", EnvironmentCheck)
    stop_environment_check, pause_environment_check, resume_environment_check, retry_environment_check = _verbs(
        "/environment-checks", EnvironmentCheck
    )
    delete_environment_check = _delete("/environment-checks")
    environment_check_logs = _logs("/environment-checks")

    def studies(self, limit: int | None = None) -> list[StudySummary]:
        """The newest first: all, or at most `limit`."""
        return self._list("/studies", StudySummary, limit)

    def submit_study(
        self,
        source: RuntimeStudySpec | str | Path,
        worker_id: int | None = None,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> StoredStudy:
        """Puts a runtime study into the queue, for any worker or for one."""
        text = study_to_yaml(source) if isinstance(source, RuntimeStudySpec) else text_of(source)
        body = {
            **{"yaml": text, "worker_id": worker_id, "project": project},
            **{"priority": priority, "wait_for_worker": wait_for_worker},
        }
        return self._read(StoredStudy, self._transport.create("/studies", body))

    def upload_study(self, file: Path, project: str | None = None) -> StoredStudy:
        """Stores what `phylon study` measured: its `study.jsonl`."""
        body = {"content": file.read_text(encoding="utf-8"), "project": project}
        return self._read(StoredStudy, self._transport.create("/studies/upload", body))

    def evaluations(self, run: int | None = None, limit: int | None = None) -> list[EvaluationSummary]:
        """The newest first; with `run` those that play a policy of this run."""
        return self._list("/evaluations", EvaluationSummary, limit, run=run)

    def evaluate(
        self,
        policies: Policy | Iterable[Policy],
        episodes: int = 10,
        seed: int | None = None,
        environment: str | None = None,
        sample: bool | None = None,
        films: int = 0,
        resources: Mapping[str, Any] | None = None,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> StoredEvaluation:
        """Puts an evaluation into the queue: policies of these runs play the same fresh episodes on a worker.

        A policy is the number of a run, for its winner's, or a mapping such as `{"run": 7, "member": 3, "step": 40000}`
        for that of a member in a checkpoint which the service keeps. `wait_for_evaluation` has the result.
        """
        asked = cast(Iterable[Policy], [policies] if isinstance(policies, int | Mapping) else policies)
        body = EvaluationRequest(
            policies=[_choose(each) for each in asked],
            episodes=episodes,
            seed=seed,
            environment=environment,
            sample=sample,
            films=films,
            resources=ResourcesSpec.model_validate(resources or {}),
            project=project,
            priority=priority,
            wait_for_worker=wait_for_worker,
        )
        return self._read(StoredEvaluation, self._transport.create("/evaluations", body.model_dump(mode="json")))

    def environment_checks(self, environment: str | None = None, limit: int | None = None) -> list[EnvironmentCheck]:
        """The newest first; with `environment` those of this one."""
        return self._list("/environment-checks", EnvironmentCheck, limit, environment=environment)

    def check_environment(
        self,
        environment: str,
        suite: str | None = None,
        options: Mapping[str, Any] | None = None,
        worker_id: int | None = None,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> EnvironmentCheck:
        """Asks a worker that offers the environment to try it. `wait_for_environment_check` has the report.

        Its id is of the catalogue, or `my_package:MyEnv-v0`; without `suite`, the one that has it.
        """
        body = EnvironmentCheckRequest(
            suite=suite,
            environment=environment,
            options=dict(options or {}),
            worker_id=worker_id,
            project=project,
            priority=priority,
            wait_for_worker=wait_for_worker,
        )
        return self._read(EnvironmentCheck, self._transport.create("/environment-checks", body.model_dump(mode="json")))


def _choose(policy: Policy) -> PolicyChoice:
    return PolicyChoice.model_validate({"run": policy} if isinstance(policy, int) else dict(policy))
