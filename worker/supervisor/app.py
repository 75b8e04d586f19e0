"""The Celery application of a worker: one queue of its own, one thread per slot. A message holds the id of a job."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_shutting_down

from phylon.contract.protocol import EXECUTE_JOB
from phylon.redis_url import broker_url
from phylon.worker.supervisor.activity import Activity
from phylon.worker.supervisor.supervise import Supervisor

VISIBILITY_TIMEOUT_SECONDS = 7 * 24 * 3600
"""Redis delivers again what was not acknowledged by then. We acknowledge at once, and claims make repeats harmless."""


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
        activity.jobs.append(job_id)
        try:
            supervisor.execute(job_id)
        finally:
            activity.jobs.remove(job_id)

    return app


def run_worker(app: Celery, queue: str, slots: int, activity: Activity) -> int:
    """Consumes until SIGTERM or SIGINT; then the jobs at hand are given back first. Returns the exit code.

    Celery calls every end by Ctrl-C a failure; here the first one is an orderly end like SIGTERM, and exits with 0.
    """
    was_cold = False

    @worker_shutting_down.connect(weak=False)
    def leave(how: str, **_: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        nonlocal was_cold
        activity.leave()
        was_cold = was_cold or how == "Cold"

    @setup_logging.connect(weak=False)
    def keep_our_logging(**_: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        """Celery sets up its own, and quietens ours, unless someone listens here."""

    # Threads, because a task only watches its job's process. At SIGTERM Celery stops consuming and waits for them.
    worker = app.Worker(
        pool="threads",
        concurrency=slots,
        queues=[queue],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    if was_cold:
        # A second Ctrl-C. Python would wait for the threads; the processes of the jobs end when we are gone.
        os._exit(int(worker.exitcode or 1))
    return 0 if activity.is_leaving else int(worker.exitcode or 0)
