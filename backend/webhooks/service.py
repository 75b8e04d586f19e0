"""Rules about webhooks: a project's admins see and change them, since they carry what happens there to elsewhere."""

import asyncio
import base64
import secrets
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.kit import clock, pages
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Project, Webhook, WebhookDelivery
from phylon.backend.webhooks import repository
from phylon.backend.webhooks.addresses import resolve
from phylon.backend.webhooks.emit import enqueue
from phylon.backend.webhooks.sending import SECRET_PREFIX
from phylon.contract.base import Page
from phylon.contract.vocabulary import Role
from phylon.contract.webhooks import CreatedWebhook, Delivery, NewWebhook, WebhookChange, WebhookEvent
from phylon.contract.webhooks import Webhook as WebhookRead

_SECRET_BYTES = 32


def create(session: Session, viewer: Viewer, body: NewWebhook) -> CreatedWebhook:
    if not _administers(viewer, body.project_id) or session.get(Project, body.project_id) is None:
        raise NotFound("project", body.project_id)
    webhook = Webhook(
        project_id=body.project_id,
        url=body.url,
        secret=SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode(),
        events=[event.value for event in body.events],
        format=body.format.value,
        enabled=True,
        created_at=clock.now(),
    )
    session.add(webhook)
    session.flush()
    return CreatedWebhook(**_fields(webhook), secret=webhook.secret)


def list_all(session: Session, viewer: Viewer) -> list[WebhookRead]:
    administered = [project for project, role in viewer.roles.items() if role == Role.ADMIN]
    return [read(webhook) for webhook in repository.of_projects(session, None if viewer.is_admin else administered)]


def change(session: Session, viewer: Viewer, webhook_id: int, body: WebhookChange) -> WebhookRead:
    webhook = _get(session, viewer, webhook_id)
    if body.url is not None:
        webhook.url = body.url
    if body.events is not None:
        webhook.events = [event.value for event in body.events]
    if body.format is not None:
        webhook.format = body.format.value
    if body.enabled is not None:
        webhook.enabled = body.enabled
    return read(webhook)


def delete(session: Session, viewer: Viewer, webhook_id: int) -> None:
    """With its outbox."""
    session.delete(_get(session, viewer, webhook_id))


def send_test(session: Session, viewer: Viewer, webhook_id: int) -> Delivery:
    """Through the outbox like any other, so that it tests the whole way."""
    webhook = _get(session, viewer, webhook_id)
    payload = {"webhook_id": webhook.id, "summary": "Phylon can reach this webhook"}
    return _read_delivery(enqueue(session, webhook, WebhookEvent.TEST, payload))


def list_deliveries(session: Session, viewer: Viewer, webhook_id: int, limit: int, after: str | None) -> Page[Delivery]:
    webhook = _get(session, viewer, webhook_id)
    rows, total = repository.deliveries(session, webhook.id, limit + 1, pages.decode(after))
    return Page(
        items=[_read_delivery(row) for row in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda row: row.id),
    )


def check_url(context: Context, url: str) -> None:
    """For a clear answer, before a transaction is open; what counts is the check at each sending."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    asyncio.run(resolve(parts.hostname or "", port, allow_private=context.settings.webhook_allow_private))


def read(webhook: Webhook) -> WebhookRead:
    return WebhookRead(**_fields(webhook))


def _get(session: Session, viewer: Viewer, webhook_id: int) -> Webhook:
    webhook = repository.get(session, webhook_id)
    if not _administers(viewer, webhook.project_id):
        raise NotFound("webhook", webhook_id)
    return webhook


def _administers(viewer: Viewer, project_id: int) -> bool:
    return viewer.is_admin or viewer.roles.get(project_id) == Role.ADMIN


def _fields(webhook: Webhook) -> dict[str, Any]:
    names = ("id", "project_id", "url", "events", "format", "enabled", "created_at")
    return {name: getattr(webhook, name) for name in names}


def _read_delivery(row: WebhookDelivery) -> Delivery:
    return Delivery(
        id=row.message_id,
        event=WebhookEvent(row.event),
        created_at=row.created_at,
        tries=row.tries,
        next_try_at=row.next_try_at,
        delivered_at=row.delivered_at,
        dead_at=row.dead_at,
        last_status=row.last_status,
        last_error=row.last_error,
    )
