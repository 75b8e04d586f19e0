"""Webhooks over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.webhooks import service
from phylon.backend.webhooks.addresses import AddressRefused
from phylon.contract.base import Page
from phylon.contract.webhooks import CreatedWebhook, Delivery, NewWebhook, Webhook, WebhookChange

router = APIRouter(prefix="/webhooks", tags=["webhooks"])


@router.post("", status_code=201, responses=responses(NotFound, AddressRefused))
def create_webhook(
    body: NewWebhook, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> CreatedWebhook:
    """The answer holds the secret that verifies signatures; it is not shown again."""
    service.check_url(context, body.url)
    return once(body, CreatedWebhook, lambda: service.create(session, viewer, body))


@router.get("")
def list_webhooks(session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None) -> Page[Webhook]:
    """Those of the projects that the viewer administers."""
    return page_of(service.list_all(session, viewer), limit, after, key=lambda webhook: webhook.id)


@router.patch("/{id}", responses=responses(NotFound, AddressRefused))
def change_webhook(
    id: Id, body: WebhookChange, session: WriteSession, context: ContextDep, viewer: ViewerDep
) -> Webhook:
    if body.url is not None:
        service.check_url(context, body.url)
    return service.change(session, viewer, id, body)


@router.delete("/{id}", status_code=204, responses=responses(NotFound))
def delete_webhook(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    """What was not delivered yet is not sent any more."""
    service.delete(session, viewer, id)


@router.post("/{id}/test", status_code=202, responses=responses(NotFound))
def test_webhook(id: Id, session: WriteSession, viewer: ViewerDep) -> Delivery:
    """Sends a message soon; its delivery is listed with the others."""
    return service.send_test(session, viewer, id)


@router.get("/{id}/deliveries", responses=responses(NotFound))
def list_deliveries(
    id: Id, session: ReadSession, viewer: ViewerDep, limit: Limit = 50, after: After = None
) -> Page[Delivery]:
    """The newest first."""
    return service.list_deliveries(session, viewer, id, limit, after)
