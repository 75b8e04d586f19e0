"""What a logger is. A plug-in package declares one in the entry-point group `phylon.loggers`, under its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from phylon.contract.events import RunEvent


class LoggedRun(NamedTuple):
    """The run whose record is opened: one population."""

    name: str
    folder: Path
    """Of the run. What a logger writes here stays with it, and is there again when the run is resumed."""
    population_size: int
    spec: dict[str, Any]
    """Resolved."""
    seed: int
    began: float
    """In Unix time; events count their seconds from here."""


class Record(NamedTuple):
    """An open record of one run."""

    record: Callable[[RunEvent], None]
    """Each event once, in order. Metrics have a value per member, or one for the whole population."""
    restart: Callable[[int], None]
    """The run was taken up at a checkpoint: what was recorded after this step is going to be recorded again."""
    close: Callable[[], None]
    watch: str
    """What to type, or where to look, to see the record."""


class OpenRecord(Protocol):
    """Begins the record of a run, or goes on with the one that it has."""

    def __call__(self, run: LoggedRun, /) -> Record: ...


class Logger(NamedTuple):
    name: str
    meaning: str
    open: OpenRecord


class LoggerUnavailable(RuntimeError):
    """The package that it needs is not installed. The text says which, and how to get it."""


def member_name(member: int, population_size: int) -> str:
    """As every record calls it: numbers of one width, so that lists sort."""
    return f"member-{member:0{max(2, len(str(population_size - 1)))}}"
