"""The Celery application of a worker: one queue, one slot. A message is JSON and holds the id of a job."""

import logging
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_shutting_down

from phylon.contract.protocol import EXECUTE_JOB, DeviceKind, queue_name
from phylon.redis_url import broker_url
from phylon.worker.supervisor.supervise import Supervisor

VISIBILITY_TIMEOUT_SECONDS = 7 * 24 * 3600
"""Redis delivers again what was not acknowledged by then. We acknowledge at once, and claims make repeats harmless."""

log = logging.getLogger(__name__)


class Activity:
    """What the Celery process is doing. Plain attributes: a signal handler writes one of them and may take no lock."""

    def __init__(self) -> None:
        self.is_leaving = False
        self.is_busy = False


def create_app(redis_url: str, supervisor: Supervisor, activity: Activity) -> Celery:
    app = Celery("phylon", broker=broker_url(redis_url))
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_redirect_stdouts=False,
        # Concerns late acknowledgement, which we do not use; saying so silences a warning at every reconnect.
        worker_cancel_long_running_tasks_on_connection_loss=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_TIMEOUT_SECONDS,
            # Without it a connection that dies silently, say in a firewall, leaves the consumer stalled for ever.
            "socket_timeout": 30.0,
            "socket_keepalive": True,
        },
    )

    @app.task(name=EXECUTE_JOB)
    def execute_job(job_id: int) -> None:  # pyright: ignore[reportUnusedFunction]
        activity.is_busy = True
        try:
            supervisor.execute(job_id)
        finally:
            activity.is_busy = False

    return app


def run_worker(app: Celery, device: DeviceKind, activity: Activity) -> int:
    """Consumes until SIGTERM or SIGINT; then the job at hand is given back first. Returns the exit code.

    Celery calls every end by Ctrl-C a failure; here the first one is an orderly end like SIGTERM, and exits with 0.
    """
    was_cold = False

    @worker_shutting_down.connect(weak=False)
    def leave(how: str, **_: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        nonlocal was_cold
        activity.is_leaving = True
        was_cold = was_cold or how == "Cold"

    @setup_logging.connect(weak=False)
    def keep_our_logging(**_: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        """Celery sets up its own, and quietens ours, unless someone listens here."""

    # In the solo pool the task runs in this very thread and no process is forked; the hub waits meanwhile, so a second
    # message stays in Redis for another worker.
    worker = app.Worker(
        pool="solo",
        concurrency=1,
        queues=[queue_name(device)],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    return 0 if activity.is_leaving and not was_cold else int(worker.exitcode or 0)
