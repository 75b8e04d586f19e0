"""One run, from its claim to its end: claim, prepare, spawn, relay, obey, release."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from phylon.contract.protocol import Claim, ClaimRequest, DeviceKind, Release, ResumeRequest
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.prepare import discard_files, prepare
from phylon.worker.supervisor.relay import Relay, wait_until_over
from phylon.worker.supervisor.service import AttemptRefused, Service, ServiceError, ServiceUnreachable, persistently
from phylon.worker.supervisor.trainer import Trainer

WATCH_SECONDS = 0.1
CLAIM_PATIENCE_SECONDS = 30.0
"""Then the message is dropped; the service sends an unclaimed run again."""
RELEASE_PATIENCE_SECONDS = 30.0
"""Then the lease runs out, with the same effect."""
LEAVE_PATIENCE_SECONDS = 15.0
"""How long a leaving worker goes on trying to tell what is left in the spool."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Supervisor:
    """What every run of this worker shares."""

    service: Service
    runs: Path
    device: DeviceKind
    worker_id: Callable[[], int]
    is_leaving: Callable[[], bool]
    """The worker was asked to end; polled, because it is set by a signal handler, which may take no lock."""

    def execute(self, run_id: int) -> None:
        """Returns when the run has ended, was given back, or turned out to be someone else's."""
        if self.is_leaving():
            return  # unclaimed, it is sent again to another worker
        request = ClaimRequest(worker_id=self.worker_id())
        try:
            claim = persistently(lambda: self.service.claim(run_id, request), CLAIM_PATIENCE_SECONDS, self.is_leaving)
        except ServiceError as error:
            log.info("run %d is not taken: %s", run_id, error)
            return
        log.info("run %d: attempt %d begins", run_id, claim.attempt)
        logs = LogBuffer()
        relay = Relay(self.service, claim, logs)
        relay.start()
        try:
            release = self._attempt(claim, relay, logs)
        except AttemptRefused as refusal:
            log.warning("run %d is abandoned: %s", run_id, refusal)
            release = None
        except Exception as error:
            log.exception("run %d: attempt %d failed", run_id, claim.attempt)
            release = self._release(claim, f"the supervisor failed: {error}")
        finally:
            relay.close()
        if release is not None:
            self._give_back(run_id, release)

    def _attempt(self, claim: Claim, relay: Relay, logs: LogBuffer) -> Release | None:
        """What to release the run with; None when it has an outcome."""
        run_dir = self.runs / str(claim.run_id)
        try:
            self._make_ready(claim, run_dir, relay, logs)
        except ServiceUnreachable:
            if relay.refusal is not None:
                raise relay.refusal from None
            return self._release(claim, "the service was not reached before a trainer could start")
        trainer = Trainer(run_dir, self.device, logs)
        log.info("run %d: trainer is process %d", claim.run_id, trainer.pid)
        try:
            self._watch(trainer, relay)
        finally:
            trainer.finish()
        relay.trainer_ended()
        self._tell_the_rest(relay)
        if relay.refusal is not None:
            raise relay.refusal
        if relay.failure is not None:
            raise relay.failure
        if relay.outcome is not None:
            log.info("run %d: %s", claim.run_id, relay.outcome.kind)
            discard_files(run_dir)
            return None
        return self._release(claim, trainer.describe_end())

    def _make_ready(self, claim: Claim, run_dir: Path, relay: Relay, logs: LogBuffer) -> None:
        def is_cancelled() -> bool:
            return relay.over.is_set() or self.is_leaving()

        next_seq = prepare(self.service, claim, run_dir, is_cancelled)
        request = ResumeRequest(attempt=claim.attempt, from_seq=next_seq)
        answer = persistently(lambda: self.service.resume(claim.run_id, request), float("inf"), is_cancelled)
        where = f"from the checkpoint before event {next_seq}" if next_seq else "from the beginning"
        logs.add("supervisor", f"attempt {claim.attempt} starts {where}")
        relay.follow(run_dir, answer.next_seq)

    def _watch(self, trainer: Trainer, relay: Relay) -> None:
        """Returns when the trainer has ended, or must."""
        while trainer.exit_code is None and not relay.over.is_set():
            if relay.stop_requested:
                trainer.order("stop")
            elif self.is_leaving():
                trainer.order("yield")
            trainer.escalate()
            time.sleep(WATCH_SECONDS)

    def _tell_the_rest(self, relay: Relay) -> None:
        leaving_since: float | None = None

        def may_give_up() -> bool:
            nonlocal leaving_since
            if self.is_leaving() and leaving_since is None:
                leaving_since = time.monotonic()
            return leaving_since is not None and time.monotonic() - leaving_since > LEAVE_PATIENCE_SECONDS

        if not wait_until_over(relay, may_give_up):
            log.warning("not everything could be told to the service; what is left stays in the spool")

    def _release(self, claim: Claim, detail: str) -> Release:
        reason = "worker_shutdown" if self.is_leaving() else "crashed"
        return Release(attempt=claim.attempt, reason=reason, detail=detail)

    def _give_back(self, run_id: int, release: Release) -> None:
        log.info("run %d is given back (%s): %s", run_id, release.reason, release.detail)
        patience = LEAVE_PATIENCE_SECONDS if self.is_leaving() else RELEASE_PATIENCE_SECONDS
        try:
            persistently(lambda: self.service.release(run_id, release), patience, lambda: False)
        except ServiceError as error:
            log.warning("run %d could not be given back, its lease will run out: %s", run_id, error)
