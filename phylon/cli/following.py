"""Follows what a worker of the service was asked for, until it has ended."""

import time
from collections.abc import Callable
from typing import TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from phylon.cli.console import err
from phylon.cli.exits import INTERRUPTED, WorkFailed
from phylon.client import Client
from phylon.contract.payloads import PayloadSummary
from phylon.contract.vocabulary import ACTIVE, JobStatus

POLL_SECONDS = 0.5

Asked = TypeVar("Asked", bound=PayloadSummary)


def follow(
    client: Client, asked: Asked, ask: Callable[[int], Asked], noun: str, count: Callable[[Asked], tuple[int, int]]
) -> Asked:
    """As it is when it has finished. `count`: how much of it is done, and of how much."""
    words, address = noun.replace("-", " "), f"{client.url}/{noun}s?id={asked.id}"
    err.print(f"{words} {asked.id} waits for a worker: {address}", highlight=False)
    try:
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err) as bar:
            task = bar.add_task(asked.status, total=count(asked)[1])
            while (found := ask(asked.id)).status in ACTIVE:
                bar.update(task, completed=count(found)[0], description=found.status)
                time.sleep(POLL_SECONDS)
            bar.update(task, completed=count(found)[0], description=found.status)
    except KeyboardInterrupt:
        err.print(f"it goes on; `phylon stop --{noun} {asked.id}` ends it", markup=False, highlight=False)
        raise typer.Exit(INTERRUPTED) from None
    if found.status != JobStatus.FINISHED:
        said = f": {found.error}; {found.remedy}" if found.error else ""
        raise WorkFailed(f"{words} {found.id} is {found.status}{said}")
    return found
