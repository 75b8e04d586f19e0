"""`phylon webhooks`: addresses that the service calls when something happens."""

from typing import Annotated

import typer
from pydantic import ValidationError

from phylon.cli.console import print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.webhooks import Delivery, Webhook, WebhookChange, WebhookEvent, WebhookFormat

_DEFAULT_EVENTS = [WebhookEvent.RUN_FINISHED, WebhookEvent.RUN_FAILED, WebhookEvent.WORKER_LOST]


def webhooks(
    webhook: Annotated[
        int | None, typer.Argument(metavar="[WEBHOOK]", help="Show the deliveries of this one; without it, list all.")
    ] = None,
    add: Annotated[str | None, typer.Option("--add", metavar="ADDRESS", help="Create one for this address.")] = None,
    event: Annotated[
        list[WebhookEvent] | None,
        typer.Option(
            "--event", help="What the new one is called for; may be repeated. Default: ends and lost workers."
        ),
    ] = None,
    format: Annotated[WebhookFormat, typer.Option(help="What the new one is sent.")] = WebhookFormat.JSON,
    project: Annotated[int, typer.Option(help="The project whose events the new one hears.")] = 1,
    test: Annotated[bool, typer.Option("--test", help="Send it a message now.")] = False,
    enable: Annotated[bool | None, typer.Option("--enable/--disable", help="Let it be called, or not.")] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Forget it, and what was not delivered yet.")] = False,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Have an address called when runs end, members diverge or workers are lost; see docs/operations.md.

    Example: `phylon webhooks --add https://hooks.example.org/phylon --format slack --event run.failed`
    """
    if webhook is None and (test or delete or enable is not None):
        raise BadInput("name the webhook, e.g. phylon webhooks 2 --test; `phylon webhooks` lists them")
    with Client(url) as client:
        if add is not None:
            _create(client, add, event or _DEFAULT_EVENTS, format, project, json)
        elif webhook is None:
            _show(client.webhooks(), json)
        elif delete:
            client.delete_webhook(webhook)
            say(f"webhook [bold]{webhook}[/] is gone")
        elif enable is not None:
            _show([client.change_webhook(webhook, WebhookChange(enabled=enable))], json)
        elif test:
            _show_deliveries([client.test_webhook(webhook)], json)
        else:
            _show_deliveries(client.deliveries(webhook, limit=50), json)


def _create(
    client: Client, address: str, events: list[WebhookEvent], format: WebhookFormat, project: int, json: bool
) -> None:
    try:
        created = client.create_webhook(address, events, format, project)
    except ValidationError:
        raise BadInput(f"{address} is not an address; it begins with http:// or https://") from None
    if json:
        print_json(created.model_dump(mode="json"))
    else:
        say(f"webhook [bold]{created.id}[/] calls {created.url}")
        say(f"its secret, which verifies signatures and is not shown again: [bold]{created.secret}[/]")


def _show(found: list[Webhook], json: bool) -> None:
    if json:
        print_json([each.model_dump(mode="json") for each in found])
        return
    rows = [
        [
            str(each.id),
            str(each.project_id),
            each.url,
            each.format,
            "yes" if each.enabled else "no",
            ", ".join(each.events),
        ]
        for each in found
    ]
    print_table(["id", "project", "address", "format", "enabled", "events"], rows, right=["id", "project"])


def _show_deliveries(found: list[Delivery], json: bool) -> None:
    if json:
        print_json([each.model_dump(mode="json") for each in found])
        return
    rows = [[each.id, each.event, f"{each.created_at:%Y-%m-%d %H:%M}", str(each.tries), _state(each)] for each in found]
    print_table(["id", "event", "created", "tries", "state"], rows, right=["tries"])


def _state(delivery: Delivery) -> str:
    if delivery.delivered_at is not None:
        return "delivered"
    state = "given up" if delivery.dead_at is not None else "waiting"
    return f"{state} ({delivery.last_error})" if delivery.last_error else state
