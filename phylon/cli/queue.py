"""Commands about the queue: what runs, what waits and why, and which of it goes first."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from phylon.cli.console import duration, print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.queue import Queue, QueueJob, RestingJob, RunningJob, Share, WaitingJob
from phylon.contract.vocabulary import Priority

JobArgument = Annotated[int, typer.Argument(metavar="JOB", help="Number of the job, as `phylon queue` shows it.")]


def queue(
    limit: Annotated[int, typer.Option(min=0, max=1000, help="At most so many waiting jobs, the first in order.")] = 20,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Show what runs where, what waits and why, and whose share is how large.

    Example: `phylon queue --limit 50`
    """
    with Client(url) as client:
        found = client.queue(limit)
    if json:
        print_json(found.model_dump(mode="json"))
        return
    say(f"{found.slots - found.free_slots} of {found.slots} devices are in use")
    if found.running:
        columns = ["job", "what", "whose", "project", "class", "devices", "where", "since", "left"]
        print_table(columns, map(_running_row, found.running), right=["job", "devices", "since", "left"])
    _show_waiting(found)
    if found.resting:
        say("")
        columns = ["job", "what", "whose", "project", "class", "devices", "is", "error"]
        print_table(columns, map(_resting_row, found.resting), right=["job", "devices"])
    if found.shares:
        say("")
        columns = ["project", "person", "weight", "devices", "device-hours", "share", "entitled to"]
        print_table(columns, map(_share_row, found.shares), right=columns[2:])


def prioritise(
    job: JobArgument,
    priority: Annotated[Priority, typer.Argument(metavar="CLASS", help="low, normal or high.")],
    url: UrlOption = None,
) -> None:
    """Give a waiting job another class: the higher ones are served first.

    Example: `phylon prioritise 12 high`
    """
    with Client(url) as client:
        found = client.change_job(job, priority=priority)
    say(f"job [bold]{job}[/] is of class {priority}" + _place(found, job))


def move(
    job: JobArgument,
    before: Annotated[int | None, typer.Option(metavar="JOB", help="Before this other job of the same line.")] = None,
    front: Annotated[bool, typer.Option("--front", help="Before all others of the same line.")] = False,
    back: Annotated[bool, typer.Option("--back", help="After all others of the same line.")] = False,
    url: UrlOption = None,
) -> None:
    """Move a waiting job among those of the same owner, project and class. Between others, shares decide.

    Example: `phylon move 12 --front`
    """
    if (before is not None) + front + back != 1:
        raise BadInput("say where to: --front, --back, or --before with the number of another job")
    with Client(url) as client:
        found = client.change_job(job, before=before, to="front" if front else "back" if back else None)
    say(f"job [bold]{job}[/] is moved" + _place(found, job))


def _place(found: Queue, job: int) -> str:
    place = next((each.position for each in found.waiting if each.id == job), None)
    return f"; it is number {place} in the queue" if place else ""


def _show_waiting(found: Queue) -> None:
    if not found.waiting_total:
        say("nothing waits")
        return
    say("")
    columns = ["", "job", "what", "whose", "project", "class", "devices", "waits", "starts in", "why"]
    print_table(columns, map(_waiting_row, found.waiting), right=["", "job", "devices", "waits", "starts in"])
    if found.waiting_total > len(found.waiting):
        say(f"{found.waiting_total - len(found.waiting)} more wait; --limit shows them")


def _running_row(job: RunningJob) -> list[str]:
    return [
        *_columns(job),
        "; ".join(f"{host.worker_name} {','.join(map(str, host.slots))}" for host in (job, *job.others)),
        _ago(job.since),
        "-" if job.expected_end is None else _until(job.expected_end),
    ]


def _waiting_row(job: WaitingJob) -> list[str]:
    start = "-" if job.expected_start is None else _until(job.expected_start)
    return [str(job.position), *_columns(job), _ago(job.since), start, job.explanation]


def _resting_row(job: RestingJob) -> list[str]:
    return [*_columns(job), job.status, (job.error or "-").splitlines()[0]]


def _columns(job: QueueJob) -> list[str]:
    return [str(job.id), job.name or job.kind, job.owner, job.project, job.priority, str(job.devices)]


def _share_row(share: Share) -> list[str]:
    return [
        share.project if share.user is None else "",
        "(all)" if share.user is None else share.user,
        f"{share.weight:g}" if share.user is None else "",
        str(share.devices),
        f"{share.used_device_hours:,.1f}",
        f"{share.used_share:.0%}",
        f"{share.entitled_share:.0%}",
    ]


def _ago(then: datetime) -> str:
    return duration(max(0.0, (datetime.now(UTC) - then).total_seconds()))


def _until(then: datetime) -> str:
    return duration(max(0.0, (then - datetime.now(UTC)).total_seconds()))
