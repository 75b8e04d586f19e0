"""Evaluations of saved policies, as methods of `phylon.Client`."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, cast

from phylon.connection import Connection
from phylon.contract.evaluations import EvaluationRequest, EvaluationSummary, PolicyChoice, StoredEvaluation
from phylon.contract.vocabulary import ACTIVE, Priority
from phylon.errors import PhylonUnreachable
from phylon.spec.resources import ResourcesSpec

Policy = int | Mapping[str, Any]
"""Number of a run, or what `PolicyChoice` says."""


class EvaluationsClient(Connection):
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

    def evaluations(self, run: int | None = None, limit: int | None = None) -> list[EvaluationSummary]:
        """The newest first; with `run` those that play a policy of this run."""
        return self._list("/evaluations", EvaluationSummary, limit, run=run)

    def evaluation(self, id: int) -> StoredEvaluation:
        """With what each episode came to."""
        return self._get(f"/evaluations/{id}", StoredEvaluation)

    def wait_for_evaluation(self, id: int, patience: float = 60.0) -> StoredEvaluation:
        """The evaluation once it has ended. `PhylonUnreachable` when the service stays away for `patience` seconds."""
        heard = time.monotonic()
        while True:
            try:
                found = self.evaluation(id)
                if found.status not in ACTIVE:
                    return found
                heard = time.monotonic()
            except PhylonUnreachable:
                if time.monotonic() - heard > patience:
                    raise
            time.sleep(0.5)

    def delete_evaluation(self, id: int) -> None:
        self._transport.request("DELETE", f"/evaluations/{id}")


def _choose(policy: Policy) -> PolicyChoice:
    return PolicyChoice.model_validate({"run": policy} if isinstance(policy, int) else dict(policy))
