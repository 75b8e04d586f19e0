"""Sends the id of a job to its worker. The message holds nothing else; the truth stays in the database."""

from typing import Any

import structlog
from celery import Celery  # pyright: ignore[reportMissingTypeStubs]
from kombu.exceptions import OperationalError

from phylon.backend.kit.doorbell import Doorbell
from phylon.contract.protocol import EXECUTE_JOB, queue_name
from phylon.redis_url import broker_url

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_TIMEOUT_SECONDS = 1.0


class BrokerAway(Exception):
    """Redis did not take the message; nothing is lost, the job is sent at a later tick."""


class Broker:
    """Fails at once instead of waiting for a Redis that is away: the scheduler tries again soon anyway."""

    def __init__(self, redis_url: str, doorbell: Doorbell) -> None:
        self._doorbell = doorbell
        self._celery: Any = Celery("phylon", broker=broker_url(redis_url), set_as_current=False)
        self._celery.conf.update(
            task_serializer="json",
            accept_content=["json"],
            task_ignore_result=True,
            task_publish_retry=False,
            broker_connection_timeout=_TIMEOUT_SECONDS,
            broker_connection_retry=False,
            broker_connection_max_retries=0,
            broker_transport_options={
                "socket_timeout": _TIMEOUT_SECONDS,
                "socket_connect_timeout": _TIMEOUT_SECONDS,
                "max_retries": 0,
            },
        )

    def reachable(self) -> bool:
        return self._doorbell.reachable()

    def send(self, job_id: int, worker_id: int) -> None:
        try:
            self._celery.send_task(EXECUTE_JOB, args=[job_id], queue=queue_name(worker_id), retry=False)
        except (OperationalError, OSError) as error:
            raise BrokerAway(str(error)) from error

    def close(self) -> None:
        self._celery.close()
