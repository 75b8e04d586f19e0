"""`phylon workers`: the machines that train, and what their operator can do with them."""

from collections.abc import Callable, Sequence
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.workers import Worker

NamesArgument = Annotated[
    list[str],
    typer.Argument(metavar="NAME...", help="Workers, by their names or numbers as `phylon workers` lists them."),
]


def workers(context: typer.Context, json: JsonOption = False, url: UrlOption = None) -> None:
    """List the workers: what each executes, and whether it may get jobs. Its commands operate them.

    Example: `phylon workers drain node-7 --now`
    """
    if context.invoked_subcommand is not None:
        return
    with Client(url) as client:
        found = client.workers()
    if json:
        print_json([worker.model_dump(mode="json") for worker in found])
        return
    print_table(["id", "name", "state", "slots", "device", "labels", "jobs"], map(_row, found), right=["id", "slots"])
    for worker in found:
        _explain(worker)


def drain(
    names: NamesArgument,
    now: Annotated[bool, typer.Option("--now", help="Also send what they execute back to the queue.")] = False,
    url: UrlOption = None,
) -> None:
    """Give these workers no new jobs. What they execute goes on to its end.

    Example: `phylon workers drain node-7 node-8`
    """
    _operate(url, names, lambda client, id: client.drain_worker(id, now))


def undrain(names: NamesArgument, url: UrlOption = None) -> None:
    """Give drained workers jobs again.

    Example: `phylon workers undrain node-7`
    """
    _operate(url, names, lambda client, id: client.undrain_worker(id))


def release(names: NamesArgument, url: UrlOption = None) -> None:
    """Let workers back from quarantine, once what was wrong with them is mended.

    Example: `phylon workers release node-7`
    """
    _operate(url, names, lambda client, id: client.release_worker(id))


def label(
    names: NamesArgument,
    labels: Annotated[str, typer.Option("--set", metavar="A,B", help="Its labels from now on; '' for none.")],
    url: UrlOption = None,
) -> None:
    """Set the labels that jobs may ask for.

    Example: `phylon workers label node-7 --set a100,night`
    """
    _operate(url, names, lambda client, id: client.label_worker(id, _split(labels)))


def code(
    name: Annotated[str | None, typer.Option(help="How the worker will be listed.")] = None,
    labels: Annotated[str, typer.Option(metavar="A,B", help="Labels that the worker will have.")] = "",
    url: UrlOption = None,
) -> None:
    """Make a code with which one machine becomes a worker, within an hour.

    Example: `phylon workers code --name gpu-box --labels a100,night`
    """
    with Client(url) as client:
        made = client.create_enrolment_code(name, _split(labels))
    say(f"on the machine, until {made.expires_at:%H:%M} UTC and once:\nphylon worker --enrol {made.code}")


def revoke(names: NamesArgument, url: UrlOption = None) -> None:
    """End the credentials of workers. What they execute goes to others.

    Example: `phylon workers revoke node-7`
    """
    with Client(url) as client:
        known = client.workers()
        for worker in [_find(known, name) for name in names]:
            client.revoke_worker(worker.id)
            say(f"worker {worker.id} [bold]{escape(worker.name)}[/] is revoked; what it executed goes to others")


def _split(labels: str) -> list[str]:
    return [label.strip() for label in labels.split(",") if label.strip()]


def _operate(url: str | None, names: Sequence[str], act: Callable[[Client, int], Worker]) -> None:
    with Client(url) as client:
        known = client.workers()
        for id in [_find(known, name).id for name in names]:
            worker = act(client, id)
            labels = f" [{', '.join(worker.labels)}]" if worker.labels else ""
            say(f"worker {worker.id} [bold]{escape(worker.name)}[/]{escape(labels)} is {worker.state}")


def _find(known: Sequence[Worker], name: str) -> Worker:
    """By its name, or by its number where several have that name."""
    found = [worker for worker in known if name in (worker.name, str(worker.id))]
    living = [worker for worker in found if worker.state != "lost"] or found
    if len(living) == 1:
        return living[0]
    if living:
        numbers = ", ".join(str(worker.id) for worker in living)
        raise BadInput(f"several workers are called {name}; say which by its number: {numbers}")
    raise BadInput(f"there is no worker {name}; `phylon workers` lists those that there are")


def _row(worker: Worker) -> list[str]:
    jobs = {f"{slot.job.kind} {slot.job.id}": None for slot in worker.slots if slot.job is not None}
    return [
        str(worker.id),
        worker.name,
        worker.state,
        f"{sum(not slot.is_free for slot in worker.slots)}/{len(worker.slots)}",
        f"{worker.device} {worker.device_name}",
        ", ".join(worker.labels) or "-",
        ", ".join(jobs) or "-",
    ]


def _explain(worker: Worker) -> None:
    name = f"[bold]{escape(worker.name)}[/]"
    if worker.reason is not None:
        jobs = ", ".join(f"{job.kind} {job.id}" for job in worker.blamed_for)
        say(f"{name} is quarantined: {escape(worker.reason)}" + (f" ({jobs})" if jobs else ""))
    if worker.differing_versions:
        differing = ", ".join(
            f"{package} {worker.versions[package]} (the service has {own})"
            for package, own in worker.differing_versions.items()
        )
        say(f"{name} has other versions than the service: {escape(differing)}")
