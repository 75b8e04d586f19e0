"""Registers the worker and keeps saying that it lives, busy or idle, in a thread of its own."""

import logging
import threading
from collections.abc import Callable

from phylon.contract.protocol import WorkerRegistered, WorkerRegistration
from phylon.worker.supervisor.service import RequestRefused, Service, ServiceUnreachable, pauses

log = logging.getLogger(__name__)


class Presence:
    """`after_beat` is called after every beat that the service heard."""

    def __init__(self, service: Service, registration: WorkerRegistration, after_beat: Callable[[], None]) -> None:
        self._service, self._registration, self._after_beat = service, registration, after_beat
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
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        assert self._registered is not None
        while not self._ended.wait(self._registered.heartbeat_seconds):
            try:
                if not self._service.beat(self._registered.worker_id):
                    self._registered = self._service.register(self._registration)
                    log.info("the service had forgotten this worker; it is now %d", self._registered.worker_id)
                self._after_beat()
            except ServiceUnreachable:
                continue  # the next beat is the next try
            except RequestRefused as error:
                log.error("the service refuses this worker: %s; check PHYLON_WORKER_TOKEN", error)
            except Exception:
                # A worker that stops beating counts as lost although it lives, so nothing may end this thread.
                log.exception("a beat failed")
