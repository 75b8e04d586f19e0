"""Puts what happened into the outbox, in the transaction that makes it happen: both are stored, or neither."""

import secrets
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.models import Webhook, WebhookDelivery
from phylon.backend.webhooks import repository
from phylon.contract.webhooks import WebhookEvent, WebhookFormat


def emit(session: Session, project_id: int | None, event: WebhookEvent, payload: Mapping[str, Any]) -> None:
    """Notify the project's webhooks that are called for such events, or those of all projects.

    `payload["summary"]` is one sentence for people.
    """
    for webhook in repository.enabled(session, project_id):
        if event in webhook.events:
            enqueue(session, webhook, event, payload)


def enqueue(session: Session, webhook: Webhook, event: WebhookEvent, payload: Mapping[str, Any]) -> WebhookDelivery:
    delivery = WebhookDelivery(
        message_id=f"msg_{secrets.token_hex(16)}",
        webhook=webhook,
        event=event.value,
        body=to_json(_body(webhook, event, payload), inf_nan_mode="strings").decode(),
        created_at=clock.now(),
        next_try_at=clock.now(),
    )
    session.add(delivery)
    session.flush()
    return delivery


def _body(webhook: Webhook, event: WebhookEvent, payload: Mapping[str, Any]) -> dict[str, Any]:
    if webhook.format == WebhookFormat.SLACK:
        return {"text": _escape(str(payload["summary"]))}
    return {"type": event.value, "timestamp": clock.now().isoformat(), "data": dict(payload)}


def _escape(text: str) -> str:
    """Slack reads these three as markup: a run's name must not become a link or call the whole channel."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
