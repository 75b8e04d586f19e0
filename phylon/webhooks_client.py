"""Webhooks of projects, as methods of `phylon.Client`."""

from collections.abc import Iterable

from phylon.connection import Connection
from phylon.contract.webhooks import (
    CreatedWebhook,
    Delivery,
    NewWebhook,
    Webhook,
    WebhookChange,
    WebhookEvent,
    WebhookFormat,
)


class WebhooksClient(Connection):
    def webhooks(self) -> list[Webhook]:
        """Those of the projects that one administers."""
        return self._list("/webhooks", Webhook)

    def create_webhook(
        self,
        address: str,
        events: Iterable[WebhookEvent],
        format: WebhookFormat = WebhookFormat.JSON,
        project_id: int = 1,
    ) -> CreatedWebhook:
        """Has `address` called when something happens. Keep the answer's secret: it is not shown again."""
        body = NewWebhook(project_id=project_id, url=address, events=list(events), format=format)
        return self._read(CreatedWebhook, self._transport.create("/webhooks", body.model_dump(mode="json")))

    def change_webhook(self, webhook_id: int, change: WebhookChange) -> Webhook:
        body = change.model_dump(mode="json", exclude_none=True)
        return self._read(Webhook, self._transport.request("PATCH", f"/webhooks/{webhook_id}", json=body))

    def delete_webhook(self, webhook_id: int) -> None:
        self._transport.request("DELETE", f"/webhooks/{webhook_id}")

    def test_webhook(self, webhook_id: int) -> Delivery:
        """Sends it a message soon; see `deliveries`."""
        return self._read(Delivery, self._transport.request("POST", f"/webhooks/{webhook_id}/test"))

    def deliveries(self, webhook_id: int, limit: int | None = None) -> list[Delivery]:
        """What was, or is to be, sent to a webhook, the newest first."""
        return self._list(f"/webhooks/{webhook_id}/deliveries", Delivery, limit)
