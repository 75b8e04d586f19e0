"""One job, from its claim to its end: claim, prepare, spawn, relay, obey, release."""

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from phylon.child_process import ChildProcess
from phylon.contract.protocol import Claim, ClaimRequest, DeviceKind, Release, ResumeRequest
from phylon.worker.supervisor.device import device_variables
from phylon.worker.supervisor.kinds import KINDS, JobKind
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.relay import Relay, wait_until_over
from phylon.worker.supervisor.service import (
    AttemptRefused,
    Service,
    ServiceError,
    ServiceUnreachable,
    retry_while_unreachable,
)
from phylon.worker.supervisor.settings import SECRETS

WATCH_SECONDS = 0.1
CLAIM_PATIENCE_SECONDS = 30.0
"""Then the message is dropped; the service sends an unclaimed job again."""
RELEASE_PATIENCE_SECONDS = 30.0
"""Then the lease runs out, with the same effect."""
LEAVE_PATIENCE_SECONDS = 15.0
"""How long a leaving worker goes on trying to report what is left in the spool."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Supervisor:
    """What every job of this worker shares."""

    service: Service
    folders: Path
    device: DeviceKind
    worker_id: Callable[[], int]
    is_leaving: Callable[[], bool]
    """The worker was asked to end; polled, because it is set by a signal handler, which may take no lock."""

    def execute(self, job_id: int) -> None:
        """Returns when the job has ended, was given back, or turned out to be someone else's."""
        if self.is_leaving():
            return  # unclaimed, it is sent again to another worker
        request = ClaimRequest(worker_id=self.worker_id())
        try:
            claim = retry_while_unreachable(
                lambda: self.service.claim(job_id, request), CLAIM_PATIENCE_SECONDS, self.is_leaving
            )
        except ServiceError as error:
            log.info("job %d is not taken: %s", job_id, error)
            return
        log.info("job %d: attempt %d of this %s begins", job_id, claim.attempt, claim.kind)
        kind, logs = KINDS[claim.kind], LogBuffer()
        relay = Relay(self.service, claim, logs, kind.events)
        relay.start()
        try:
            release = self._attempt(claim, kind, relay, logs)
        except AttemptRefused as refusal:
            log.warning("job %d is abandoned: %s", job_id, refusal)
            release = None
        except Exception as error:
            log.exception("job %d: attempt %d failed", job_id, claim.attempt)
            release = self._release(claim, f"the supervisor failed: {error}")
        finally:
            relay.close()
        if release is not None:
            self._give_back(job_id, release)

    def _attempt(self, claim: Claim, kind: JobKind, relay: Relay, logs: LogBuffer) -> Release | None:
        """What to release the job with; None when it has an outcome."""
        folder = self.folders / str(claim.job_id)
        try:
            self._make_ready(claim, kind, folder, relay, logs)
        except ServiceUnreachable:
            if relay.refusal is not None:
                raise relay.refusal from None
            return self._release(claim, "the service was not reached before its process could start")
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        environment |= device_variables(self.device)
        child = ChildProcess(kind.module, folder, lambda line: logs.add("trainer", line), environment)
        log.info("job %d: its process is %d", claim.job_id, child.pid)
        try:
            self._watch(child, relay, logs)
        finally:
            child.finish()
        relay.child_ended()
        self._report_the_rest(relay)
        if relay.refusal is not None:
            raise relay.refusal
        if relay.failure is not None:
            raise relay.failure
        if relay.outcome is not None:
            log.info("job %d: %s", claim.job_id, relay.outcome.kind)
            kind.discard(folder)
            return None
        return self._release(claim, child.describe_end())

    def _make_ready(self, claim: Claim, kind: JobKind, folder: Path, relay: Relay, logs: LogBuffer) -> None:
        def is_cancelled() -> bool:
            return relay.over.is_set() or self.is_leaving()

        next_seq = kind.prepare(self.service, claim, folder, is_cancelled)
        request = ResumeRequest(attempt=claim.attempt, from_seq=next_seq)
        answer = retry_while_unreachable(lambda: self.service.resume(claim.job_id, request), float("inf"), is_cancelled)
        where = f"from the checkpoint before event {next_seq}" if next_seq else "from the beginning"
        logs.add("supervisor", f"attempt {claim.attempt} starts {where}")
        relay.follow(folder, answer.next_seq)

    def _watch(self, child: ChildProcess, relay: Relay, logs: LogBuffer) -> None:
        """Returns when the process has ended, or must."""
        while child.exit_code is None and not relay.over.is_set():
            if relay.stop_requested:
                child.order("stop")
            elif self.is_leaving():
                child.order("yield")
            if escalation := child.escalate():
                logs.add("supervisor", escalation)
            time.sleep(WATCH_SECONDS)

    def _report_the_rest(self, relay: Relay) -> None:
        leaving_since: float | None = None

        def may_give_up() -> bool:
            nonlocal leaving_since
            if self.is_leaving() and leaving_since is None:
                leaving_since = time.monotonic()
            return leaving_since is not None and time.monotonic() - leaving_since > LEAVE_PATIENCE_SECONDS

        if not wait_until_over(relay, may_give_up):
            log.warning("not everything could be reported to the service; what is left stays in the spool")

    def _release(self, claim: Claim, detail: str) -> Release:
        reason = "worker_shutdown" if self.is_leaving() else "crashed"
        return Release(attempt=claim.attempt, reason=reason, detail=detail)

    def _give_back(self, job_id: int, release: Release) -> None:
        log.info("job %d is given back (%s): %s", job_id, release.reason, release.detail)
        patience = LEAVE_PATIENCE_SECONDS if self.is_leaving() else RELEASE_PATIENCE_SECONDS
        try:
            retry_while_unreachable(lambda: self.service.release(job_id, release), patience, lambda: False)
        except ServiceError as error:
            log.warning("job %d could not be given back, its lease will run out: %s", job_id, error)
