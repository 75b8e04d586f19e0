"""Forks of runs and controls of their tuning, as methods of `phylon.Client`."""

from collections.abc import Mapping
from typing import Any

from phylon.connection import Connection
from phylon.contract.controls import Controls, ControlsRequest, RunControls
from phylon.contract.experiments import Experiment
from phylon.contract.forks import Fork, Forkable, ForkDraft, ForkRequest
from phylon.contract.vocabulary import Priority


class ForksClient(Connection):
    def forkable(self, run_id: int) -> Forkable:
        """From which spans of its lineage a run can be forked, and why not from the others."""
        return self._get(f"/runs/{run_id}/forkable", Forkable)

    def draft_fork(
        self, run_id: int, span: int | None = None, member: int | None = None, step: int | None = None
    ) -> ForkDraft:
        """The spec of a fork, to be edited and submitted."""
        return self._get(f"/runs/{run_id}/fork", ForkDraft, span=span, member=member, step=step)

    def fork(
        self,
        run_id: int,
        changes: Mapping[str, Any] | None = None,
        span: int | None = None,
        member: int | None = None,
        step: int | None = None,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> Experiment:
        """A new experiment whose founders begin with weights of a run: of a span, a member, or the best one.

        `changes`: what is different from the spec of that run, by dotted path.
        """
        body = ForkRequest(
            span=span,
            member=member,
            step=step,
            changes=dict(changes or {}),
            project=project,
            priority=priority,
            wait_for_worker=wait_for_worker,
        )
        return self._read(Experiment, self._transport.create(f"/runs/{run_id}/fork", body.model_dump(mode="json")))

    def forks(self, run_id: int) -> list[Fork]:
        """Experiments that start from a run, the oldest first."""
        return self._list(f"/runs/{run_id}/forks", Fork)

    def start_controls(
        self,
        run_id: int,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> Controls:
        """Puts experiments into the queue that answer whether tuning helped a finished run."""
        body = ControlsRequest(project=project, priority=priority, wait_for_worker=wait_for_worker)
        return self._read(Controls, self._transport.create(f"/runs/{run_id}/controls", body.model_dump(mode="json")))

    def controls(self, run_id: int) -> RunControls:
        """The newest controls of a run and what they say so far, or whether there can be any."""
        return self._get(f"/runs/{run_id}/controls", RunControls)
