"""Queries about webhooks and their outbox."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Webhook, WebhookDelivery


def get(session: Session, webhook_id: int) -> Webhook:
    webhook = session.get(Webhook, webhook_id)
    if webhook is None:
        raise NotFound("webhook", webhook_id)
    return webhook


def of_projects(session: Session, project_ids: Collection[int] | None) -> list[Webhook]:
    """Of all projects where `project_ids` is None."""
    statement = select(Webhook).order_by(Webhook.id)
    if project_ids is not None:
        statement = statement.where(Webhook.project_id.in_(project_ids))
    return list(session.scalars(statement))


def enabled(session: Session, project_id: int | None) -> list[Webhook]:
    """Of one project, or of all."""
    statement = select(Webhook).where(Webhook.enabled).order_by(Webhook.id)
    if project_id is not None:
        statement = statement.where(Webhook.project_id == project_id)
    return list(session.scalars(statement))


def deliveries(session: Session, webhook_id: int, limit: int, before: int | None) -> tuple[list[WebhookDelivery], int]:
    """The newest first, and how many there are in all."""
    of_webhook = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
    statement = of_webhook.order_by(WebhookDelivery.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(WebhookDelivery.id < before)
    total = session.scalar(select(func.count()).select_from(of_webhook.subquery())) or 0
    return list(session.scalars(statement)), total


def due(session: Session, now: datetime, limit: int) -> list[WebhookDelivery]:
    """Locked. Those that another sender is just taking are left to it."""
    statement = (
        select(WebhookDelivery)
        .where(WebhookDelivery.next_try_at <= now)
        .order_by(WebhookDelivery.next_try_at, WebhookDelivery.id)
        .limit(limit)
        .with_for_update(skip_locked=True, of=WebhookDelivery)
    )
    return list(session.scalars(statement))


def find_delivery(session: Session, delivery_id: int) -> WebhookDelivery | None:
    """None when its webhook was deleted meanwhile."""
    return session.get(WebhookDelivery, delivery_id)
