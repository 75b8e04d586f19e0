"""The part of the client that is about work in progress: queue, workers, and the verbs that runs have."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from phylon.accounts_client import AccountsClient
from phylon.contract.experiments import Experiment
from phylon.contract.groups import ExperimentGroup
from phylon.contract.queue import Queue
from phylon.contract.runs import Attempt, ExtensionOutlook, Run
from phylon.contract.vocabulary import Priority
from phylon.contract.workers import Worker, WorkerLoad


class WorkClient(AccountsClient):
    def queue(
        self,
        limit: int = 200,
        project: int | None = None,
        owner: int | None = None,
        priority: Priority | None = None,
    ) -> Queue:
        """What runs where, what waits and why, and whose share is how large; all, or of a project, person or class."""
        return self._get("/queue", Queue, limit=limit, project=project, owner=owner, priority=priority)

    def change_job(
        self,
        job_id: int,
        priority: Priority | None = None,
        before: int | None = None,
        to: Literal["front", "back"] | None = None,
    ) -> Queue:
        """Gives a waiting job another class, or another place among those of its owner; the queue after that."""
        body = {"priority": priority, "before": before, "to": to}
        return self._read(Queue, self._transport.request("PATCH", f"/jobs/{job_id}", json=body))

    def workers(self) -> list[Worker]:
        return self._list("/workers", Worker)

    def worker_load(self, id: int) -> WorkerLoad:
        """How busy a worker was in the last day."""
        return self._get(f"/workers/{id}/load", WorkerLoad)

    def drain_worker(self, id: int, now: bool = False) -> Worker:
        """It gets no new job; `now` also sends what it executes back to the queue."""
        return self._act(Worker, f"/workers/{id}/drain", {"now": now})

    def undrain_worker(self, id: int) -> Worker:
        return self._act(Worker, f"/workers/{id}/undrain")

    def release_worker(self, id: int) -> Worker:
        """Lets it back from quarantine."""
        return self._act(Worker, f"/workers/{id}/release")

    def label_worker(self, id: int, labels: Iterable[str]) -> Worker:
        """What jobs may ask for; replaces the labels that it has."""
        return self._read(Worker, self._transport.request("PATCH", f"/workers/{id}", json={"labels": list(labels)}))

    def stop(self, experiment_id: int) -> Experiment:
        """Asks every run of it to stop at its next segment, with a checkpoint; what waits leaves the queue."""
        return self._act(Experiment, f"/experiments/{experiment_id}/stop")

    def pause(self, experiment_id: int) -> Experiment:
        """Asks every run of it that waits or runs to keep its checkpoint and wait until it is resumed."""
        return self._act(Experiment, f"/experiments/{experiment_id}/pause")

    def resume(self, experiment_id: int) -> Experiment:
        """Every run of it that is paused or stopped goes on from its newest checkpoint."""
        return self._act(Experiment, f"/experiments/{experiment_id}/resume")

    def retry(self, experiment_id: int) -> Experiment:
        """Every run of it that failed goes on from its newest checkpoint, with all its attempts."""
        return self._act(Experiment, f"/experiments/{experiment_id}/retry")

    def extend(self, experiment_id: int, budget: Mapping[str, Any]) -> Experiment:
        """All runs of it, which must have finished or stopped, go on to a larger budget.

        `budget` is as in a spec: limits that it names replace the runs', None removes one, the others stay.
        """
        return self._act(Experiment, f"/experiments/{experiment_id}/extend", {"budget": dict(budget)})

    def stop_group(self, id: int) -> ExperimentGroup:
        return self._act(ExperimentGroup, f"/groups/{id}/stop")

    def pause_group(self, id: int) -> ExperimentGroup:
        return self._act(ExperimentGroup, f"/groups/{id}/pause")

    def resume_group(self, id: int) -> ExperimentGroup:
        return self._act(ExperimentGroup, f"/groups/{id}/resume")

    def retry_group(self, id: int) -> ExperimentGroup:
        return self._act(ExperimentGroup, f"/groups/{id}/retry")

    def extend_group(self, id: int, budget: Mapping[str, Any]) -> ExperimentGroup:
        return self._act(ExperimentGroup, f"/groups/{id}/extend", {"budget": dict(budget)})

    def stop_run(self, id: int) -> Run:
        return self._act(Run, f"/runs/{id}/stop")

    def pause_run(self, id: int) -> Run:
        return self._act(Run, f"/runs/{id}/pause")

    def resume_run(self, id: int) -> Run:
        return self._act(Run, f"/runs/{id}/resume")

    def retry_run(self, id: int) -> Run:
        return self._act(Run, f"/runs/{id}/retry")

    def extend_run(self, id: int, budget: Mapping[str, Any]) -> Run:
        return self._act(Run, f"/runs/{id}/extend", {"budget": dict(budget)})

    def extension(self, run_id: int) -> ExtensionOutlook:
        """Whether and how a run could go on to a larger budget."""
        return self._get(f"/runs/{run_id}/extension", ExtensionOutlook)

    def attempts(self, run_id: int) -> list[Attempt]:
        """The oldest first: who had the run, from which checkpoint to which step, and how it ended."""
        return self._list(f"/runs/{run_id}/attempts", Attempt)
