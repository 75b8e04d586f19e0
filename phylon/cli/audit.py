"""`phylon audit`: who did what."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from phylon.cli.console import print_json, print_table, say
from phylon.cli.experiments import UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.accounts import AuditFilter, AuditRecord

MomentOption = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M"], help="A day or a minute, in UTC.")
]


def audit(
    actor: Annotated[str | None, typer.Option(help="A part of the name, or of the e-mail address.")] = None,
    action: Annotated[str | None, typer.Option(help="`experiment.stop`, or `experiment` for all of that kind.")] = None,
    target: Annotated[str | None, typer.Option(help="What it was done to: `experiment 3`.")] = None,
    since: MomentOption = None,
    until: MomentOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many, the newest.")] = 50,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all of them here instead, one JSON document per line.")
    ] = None,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Show or export the audit log: sign-ins, tokens, roles, submissions, stops and more. For admins of the service.

    Example: `phylon audit --action sign_in.failed --since 2026-11-01`
    """
    wanted = AuditFilter(actor=actor, action=action, target=target, since=_utc(since), until=_utc(until))
    with Client(url) as client:
        if export is not None:
            with export.open("w", encoding="utf-8") as file:
                count = sum(bool(file.write(f"{line}\n")) for line in client.export_audit(wanted))
            say(f"{count} records are in {export}")
            return
        found = client.audit(limit, wanted)
    if json:
        print_json([record.model_dump(mode="json") for record in found])
    else:
        print_table(["at (UTC)", "who", "from", "did", "to", "detail"], map(_row, found))


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)


def _row(record: AuditRecord) -> list[str]:
    detail = ", ".join(f"{name}: {value}" for name, value in record.detail.items() if value is not None)
    return [f"{record.at:%Y-%m-%d %H:%M:%S}", record.actor, record.address or "-", record.action, record.target, detail]
