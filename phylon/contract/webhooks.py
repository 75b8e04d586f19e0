"""Webhooks: addresses that are called when something happens in a project."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints

from phylon.contract.base import ReadModel, Request


def _check_host(url: str) -> str:
    """Raises ValueError where host or port cannot be read."""
    _ = urlsplit(url).port
    return url


Url = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s/?#@]+([/?][^\s#]*)?$", max_length=2000),
    AfterValidator(_check_host),
]


class WebhookEvent(StrEnum):
    """What a webhook can be called for: how a job ends (`KIND.STATUS`), and what befalls members and workers."""

    RUN_FINISHED = "run.finished"
    RUN_FAILED = "run.failed"
    RUN_STOPPED = "run.stopped"
    MEMBER_DIVERGED = "run.member_diverged"
    STUDY_FINISHED = "study.finished"
    STUDY_FAILED = "study.failed"
    STUDY_STOPPED = "study.stopped"
    EVALUATION_FINISHED = "evaluation.finished"
    EVALUATION_FAILED = "evaluation.failed"
    EVALUATION_STOPPED = "evaluation.stopped"
    ENVIRONMENT_CHECK_FINISHED = "environment_check.finished"
    ENVIRONMENT_CHECK_FAILED = "environment_check.failed"
    ENVIRONMENT_CHECK_STOPPED = "environment_check.stopped"
    WORKER_LOST = "worker.lost"
    WORKER_QUARANTINED = "worker.quarantined"
    TEST = "webhook.test"
    """Sent on demand to any webhook, whatever it is called for."""


class WebhookFormat(StrEnum):
    JSON = "json"
    """`{"type", "timestamp", "data"}`, as Standard Webhooks recommends."""
    SLACK = "slack"
    """`{"text"}`, which Slack, Mattermost and their like show as a message."""


class NewWebhook(Request):
    project_id: Annotated[int, Field(ge=1, le=2**53 - 1)] = 1
    url: Url
    events: Annotated[list[WebhookEvent], Field(min_length=1)]
    format: WebhookFormat = WebhookFormat.JSON


class WebhookChange(Request):
    """What is left out stays as it is."""

    url: Url | None = None
    events: Annotated[list[WebhookEvent], Field(min_length=1)] | None = None
    format: WebhookFormat | None = None
    enabled: bool | None = None


class Webhook(ReadModel):
    id: int
    project_id: int
    url: str
    events: list[WebhookEvent]
    format: WebhookFormat
    enabled: bool
    created_at: datetime


class CreatedWebhook(Webhook):
    secret: str
    """Verifies signatures. It is shown this once."""


class Delivery(ReadModel):
    """One message to one webhook, however often it had to be sent."""

    id: str
    """Sent as `webhook-id`, the same at each try, so that a receiver can recognise a repetition."""
    event: WebhookEvent
    created_at: datetime
    tries: int
    next_try_at: datetime | None
    """None once it was delivered or given up."""
    delivered_at: datetime | None
    dead_at: datetime | None
    """When it was given up, after a day of tries."""
    last_status: int | None
    """The HTTP status of the last answer; none where there was no answer."""
    last_error: str | None
