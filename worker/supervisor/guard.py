"""Keeps jobs away from devices that do not work, and offers them again when they do."""

import logging
import threading
from collections.abc import Callable

from phylon.contract.protocol import DeviceKind
from phylon.worker.supervisor.checks import find_fault, find_foreign_use
from phylon.worker.supervisor.service import ServiceError

RECHECK_SECONDS = 60.0

log = logging.getLogger(__name__)


class DeviceGuard:
    """The devices are checked at construction. `report` makes a later finding known to the service."""

    def __init__(
        self, kind: DeviceKind, slots: int, report: Callable[[str | None], None], seconds: float = RECHECK_SECONDS
    ) -> None:
        self._kind: DeviceKind = kind
        self._slots, self._report, self._seconds = slots, report, seconds
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="guard", daemon=True)
        self.fault = find_fault(kind, slots)
        if self.fault is not None:
            log.error("this worker takes no jobs: %s", self.fault)

    def start(self) -> None:
        """From now on a fault is looked at again and again."""
        self._thread.start()

    def end(self) -> None:
        self._ended.set()

    def allows_job(self) -> bool:
        """To be asked before each job. What is found is reported, so that the job can go elsewhere at once."""
        with self._lock:
            fault = self.fault or find_foreign_use(self._kind)
            if fault is not None:
                self._note(fault)
            return fault is None

    def _run(self) -> None:
        while not self._ended.wait(self._seconds):
            if self.fault is not None:
                fault = find_fault(self._kind, self._slots)
                with self._lock:
                    self._note(fault)

    def _note(self, fault: str | None) -> None:
        try:
            self._report(fault)
        except ServiceError as error:
            log.warning("what the check of the devices found could not be reported: %s", error)
            return  # the next look is the next try
        if fault != self.fault:
            log.log(logging.INFO if fault is None else logging.ERROR, "%s", fault or "the devices work again")
        self.fault = fault
