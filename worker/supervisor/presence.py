"""Registers the worker and keeps saying that it lives, busy or idle, in a thread of its own."""

import logging
import threading
from collections.abc import Callable

from phylon.contract.protocol import WorkerRegistered, WorkerRegistration
from phylon.worker.supervisor.service import RequestRefused, Service, ServiceError, ServiceUnreachable, pauses

log = logging.getLogger(__name__)


class Presence:
    """`after_beat` is called after every beat that the service heard, `forgotten` after one of an unknown worker."""

    def __init__(
        self,
        service: Service,
        registration: WorkerRegistration,
        after_beat: Callable[[], None],
        forgotten: Callable[[], None],
    ) -> None:
        self._service, self._registration = service, registration
        self._after_beat, self._forgotten = after_beat, forgotten
        self._registered: WorkerRegistered | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    def register(self) -> None:
        """Waits for a service that is not there yet; raises RequestRefused when it does not want this worker."""
        reported = False
        for pause in pauses():
            try:
                self._registered = self._service.register(self._registration)
                log.info("registered as worker %d, %s", self._registered.worker_id, self._registration.name)
                return
            except ServiceUnreachable as error:
                if not reported:
                    log.warning("waiting for the service: %s", error)
                    reported = True
            self._ended.wait(pause)

    def worker_id(self) -> int:
        assert self._registered is not None, "register() comes first"
        return self._registered.worker_id

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """The service need not find out by itself that this worker is gone."""
        self._ended.set()
        self._thread.join()
        try:
            self._service.leave(self.worker_id())
        except ServiceError as error:
            log.warning("the service does not know that this worker left: %s", error)

    def _run(self) -> None:
        assert self._registered is not None
        while not self._ended.wait(self._registered.heartbeat_seconds):
            try:
                if self._service.beat(self._registered.worker_id):
                    self._after_beat()
                else:
                    self._forgotten()
            except ServiceUnreachable:
                continue  # the next beat is the next try
            except RequestRefused as error:
                log.error("the service refuses this worker: %s", error)
            except Exception:
                # A worker that stops beating counts as lost although it lives, so nothing may end this thread.
                log.exception("a beat failed")
