"""One job, from its claim to its end: claim, prepare, spawn, relay, obey, release."""

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from phylon.child_process import ChildProcess
from phylon.contract.protocol import Claim, ClaimRequest, DeviceKind, LeftReason, Release, ResumeRequest
from phylon.worker.core.commands import EXIT_CODES
from phylon.worker.core.logging import bound
from phylon.worker.supervisor.activity import Activity
from phylon.worker.supervisor.disk import find_shortage
from phylon.worker.supervisor.guard import DeviceGuard
from phylon.worker.supervisor.kinds import KINDS, JobKind
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.pinning import pin
from phylon.worker.supervisor.relay import Relay, wait_until_over
from phylon.worker.supervisor.service import (
    AttemptRefused,
    Service,
    ServiceError,
    ServiceUnreachable,
    retry_while_unreachable,
)
from phylon.worker.supervisor.settings import SECRETS
from phylon.worker.supervisor.station import Station, folder_name

WATCH_SECONDS = 0.1
CLAIM_PATIENCE_SECONDS = 30.0
"""Then the message is dropped; the service sends an unclaimed job again."""
RELEASE_PATIENCE_SECONDS = 30.0
"""Then the lease runs out, with the same effect."""
LEAVE_PATIENCE_SECONDS = 15.0
"""How long a leaving worker goes on trying to reach a service that does not answer."""
YIELD_SHARE, REPORT_SHARE = 2 / 3, 0.95
"""Of a leaving worker's grace: when a job must have yielded, and when its last words must have been reported."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Supervisor:
    """What every job of this worker shares."""

    service: Service
    folders: Path
    device: DeviceKind
    slots: int
    """Of the whole worker."""
    worker_id: Callable[[], int]
    guard: DeviceGuard
    activity: Activity
    """Polled, because a signal handler, which may take no lock, changes it."""
    least_free_bytes: int
    """With less room for the folders than this, jobs are handed back at their next checkpoint."""

    def execute(self, job_id: int) -> None:
        """Returns when the job has ended, was given back, or turned out to be someone else's."""
        if self.activity.is_leaving or not self.guard.allows_job():
            return  # unclaimed, it is sent again to another worker
        request = ClaimRequest(worker_id=self.worker_id())
        try:
            claim = retry_while_unreachable(
                lambda: self.service.claim(job_id, request), CLAIM_PATIENCE_SECONDS, lambda: self.activity.is_leaving
            )
        except ServiceError as error:
            log.info("job %d is not taken: %s", job_id, error)
            return
        with bound(job_id=job_id, attempt=claim.attempt):
            self._execute(claim)

    def _execute(self, claim: Claim) -> None:
        job_id = claim.job_id
        where = ", ".join(map(str, claim.slots))
        log.info("job %d: attempt %d of this %s begins in slot %s", job_id, claim.attempt, claim.kind, where)
        kind, logs = KINDS[claim.kind], LogBuffer()
        folder = self.folders / folder_name(claim)
        station = Station(self.service, claim, folder, logs) if claim.seat else None
        relay = Relay(self.service, claim, logs, kind.events, station)
        relay.start()
        try:
            release = self._attempt(claim, kind, folder, relay, logs, station)
        except AttemptRefused as refusal:
            log.warning("job %d is abandoned: %s", job_id, refusal)
            release = None
        except Exception as error:
            log.exception("job %d: attempt %d failed", job_id, claim.attempt)
            release = self._release(claim, relay, f"the supervisor failed: {error}")
        finally:
            relay.close()
            if station is not None:
                station.close()
        if release is not None:
            self._give_back(job_id, release)

    def _attempt(
        self, claim: Claim, kind: JobKind, folder: Path, relay: Relay, logs: LogBuffer, station: Station | None
    ) -> Release | None:
        """What to release the job with; None when it has an outcome, or is for rank 0 to release."""
        if shortage := self._shortage():
            return self._release(claim, relay, shortage)
        try:
            self._make_ready(claim, kind, folder, relay, logs)
        except ServiceUnreachable:
            if relay.refusal is not None:
                raise relay.refusal from None
            return self._release(claim, relay, "the service was not reached before its process could start")
        if station is not None and not self._wait_for_others(station, relay):
            if failure := relay.refusal or relay.failure:
                raise failure
            reason = self._find_wish(relay) or "yielded"
            detail = "it was wanted back before all of its workers were ready"
            return Release(attempt=claim.attempt, rank=station.launch.rank, reason=reason, detail=detail)
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        environment |= {"PHYLON_JOB_ID": str(claim.job_id), "PHYLON_ATTEMPT": str(claim.attempt)}
        environment |= station.launch.variables() if station else {}
        place = pin(self.device, claim.slots, self.slots)
        child = ChildProcess(
            kind.module, folder, lambda line: logs.add("trainer", line), environment | place.variables, place.cores
        )
        log.info("job %d: its process is %d", claim.job_id, child.pid)
        try:
            self._watch(child, relay, logs, station)
        finally:
            code = child.finish()
        has_ended_in_order = code in EXIT_CODES.values()
        if station is not None and has_ended_in_order:
            self._send_the_rest(station, relay)
            station.end(self._find_wish(relay))
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
        if station is not None and not station.is_first and has_ended_in_order:
            log.info("job %d: its process of rank %d has ended in order", claim.job_id, station.launch.rank)
            return None
        if code == EXIT_CODES["yielded"] and station is not None and not self._find_wish(relay):
            return Release(attempt=claim.attempt, reason="yielded", detail="another one of its workers asked for it")
        return self._release(claim, relay, child.describe_end())

    def _wait_for_others(self, station: Station, relay: Relay) -> bool:
        """Whether all are ready, and nobody wants the job back."""
        station.ready()
        while not station.is_complete.wait(WATCH_SECONDS):
            if relay.over.is_set() or relay.stop_requested or relay.yield_requested or self.activity.is_leaving:
                return False
        station.begin()
        return True

    def _send_the_rest(self, station: Station, relay: Relay) -> None:
        """What the process left behind, for as long as someone takes it."""
        while not station.look() and not relay.over.is_set() and self.activity.seconds_until(REPORT_SHARE) > 0:
            time.sleep(WATCH_SECONDS)

    def _find_wish(self, relay: Relay) -> LeftReason | None:
        """Why this worker wants to hand back, if it does."""
        if self.activity.is_leaving:
            return "worker_shutdown"
        if self._shortage():
            return "low_disk"
        return "yielded" if relay.yield_requested else None

    def _make_ready(self, claim: Claim, kind: JobKind, folder: Path, relay: Relay, logs: LogBuffer) -> None:
        def is_cancelled() -> bool:
            return relay.over.is_set() or self.activity.is_leaving

        next_seq = kind.prepare(self.service, claim, folder, logs, is_cancelled)
        if claim.seat is not None and claim.seat.rank > 0:
            return  # rank 0 alone has events
        request = ResumeRequest(attempt=claim.attempt, from_seq=next_seq)
        answer = retry_while_unreachable(lambda: self.service.resume(claim.job_id, request), float("inf"), is_cancelled)
        where = f"from the checkpoint before event {next_seq}" if next_seq else "from the beginning"
        logs.add("supervisor", f"attempt {claim.attempt} starts {where}")
        relay.follow(folder, answer.next_seq)

    def _watch(self, child: ChildProcess, relay: Relay, logs: LogBuffer, station: Station | None) -> None:
        """Returns when the process has ended, or must."""
        while child.exit_code is None and not relay.over.is_set():
            if station is not None:
                station.look()
            if relay.stop_requested:
                child.order("stop")
            elif self.activity.is_leaving:
                child.order("yield", self.activity.seconds_until(YIELD_SHARE))
            elif relay.yield_requested or self._shortage():
                child.order("yield")
            if escalation := child.escalate():
                logs.add("supervisor", escalation)
            time.sleep(WATCH_SECONDS)

    def _report_the_rest(self, relay: Relay) -> None:
        unreachable_since: float | None = None

        def may_give_up() -> bool:
            nonlocal unreachable_since
            if not self.activity.is_leaving or relay.is_reachable:
                unreachable_since = None
            elif unreachable_since is None:
                unreachable_since = time.monotonic()
            is_silent = unreachable_since is not None and time.monotonic() - unreachable_since > LEAVE_PATIENCE_SECONDS
            return is_silent or self.activity.seconds_until(REPORT_SHARE) <= 0

        if not wait_until_over(relay, may_give_up):
            log.warning("not everything could be reported to the service; what is left stays in the spool")

    def _shortage(self) -> str | None:
        return find_shortage(self.folders, self.least_free_bytes)

    def _release(self, claim: Claim, relay: Relay, detail: str) -> Release:
        """Without room on the disk nothing else is to blame, whatever the process died of."""
        reason, rank = self._find_wish(relay) or "crashed", claim.seat.rank if claim.seat else 0
        shortage = self._shortage()
        return Release(
            attempt=claim.attempt, rank=rank, reason="low_disk" if shortage else reason, detail=shortage or detail
        )

    def _give_back(self, job_id: int, release: Release) -> None:
        log.info("job %d is given back (%s): %s", job_id, release.reason, release.detail)
        patience = RELEASE_PATIENCE_SECONDS
        if self.activity.is_leaving:
            patience = min(LEAVE_PATIENCE_SECONDS, self.activity.seconds_until(1.0))
        try:
            retry_while_unreachable(lambda: self.service.release(job_id, release), patience, lambda: False)
        except ServiceError as error:
            log.warning("job %d could not be given back, its lease will run out: %s", job_id, error)
