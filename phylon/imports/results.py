"""What every reader gives: runs with their curves."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.returns import RETURN
from phylon.series import Series

IMPORTED = "imported"
"""Stands for the method, and the suite, of what was trained elsewhere."""

Files = Mapping[str, bytes]
"""By path, with `/` between its parts."""


class Final(NamedTuple):
    """A return in episodes that no selection saw, as the file says."""

    mean: float
    episodes: int | None


class ImportedRun(NamedTuple):
    seed: int
    series: dict[str, Series]
    """By name, `evaluation/return` among them. All values of a run have as many members, or one for all of them."""
    final: Final | None = None


class ImportedResults(NamedTuple):
    runs: list[ImportedRun]
    return_name: str
    """What the files call the return."""
    environment: str | None = None
    algorithm: str | None = None
    settings: dict[str, Any] = {}  # noqa: RUF012 (a tuple's default is never changed)
    """What the files say about how it was trained."""


class ImportRefused(ValueError):
    """The files are not what they are taken for. The text says which file, what is wrong and what to do."""


def series_of(steps: Sequence[int], seconds: Sequence[float] | None, values: Sequence[float]) -> Series:
    """One member's. Sorted by step; of several values at a step the last counts. Without a clock, seconds are 0."""
    order = np.array(steps, np.int64)
    kept = last_of_each(order)
    wall = np.zeros(len(order)) if seconds is None else np.array(seconds, np.float64)
    return Series(order[kept], np.maximum.accumulate(wall[kept]), np.array(values, np.float64)[kept, None])


def last_of_each(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each step stands last, in the order of steps."""
    unique, from_the_end = np.unique(steps[::-1], return_index=True)
    del unique
    return len(steps) - 1 - from_the_end


def join_members(members: Sequence[Mapping[str, Series]]) -> dict[str, Series]:
    """Curves of members as those of one population; what a member has not at some step is NaN there."""
    names = dict.fromkeys(name for member in members for name in member)
    return {name: _join([member.get(name) for member in members]) for name in names}


def _join(columns: Sequence[Series | None]) -> Series:
    known = [column for column in columns if column is not None]
    steps = np.unique(np.concatenate([column.steps for column in known]))
    wall = np.zeros(len(steps))
    values = np.full((len(steps), len(columns)), np.nan)
    for member, column in enumerate(columns):
        if column is not None:
            places = np.searchsorted(steps, column.steps)
            values[places, member] = column.values[:, 0]
            wall[places] = np.maximum(wall[places], column.wall)
    return Series(steps, np.maximum.accumulate(wall), values)


def with_return(series: Mapping[str, Series], name: str) -> dict[str, Series]:
    """The curve of this name is the return, and keeps no other name."""
    return {RETURN if each == name else each: one for each, one in series.items()}


def choose_return(names: Iterable[str], asked: str | None, usual: Sequence[str], where: str) -> str:
    """What these files call the return: what was asked for, or the first of the usual names that is there."""
    present = list(names)
    found = next((name for name in ([asked] if asked else usual) if name in present), None)
    if found is not None:
        return found
    shown = ", ".join(sorted(present)[:20]) or "none"
    missing = f"no '{asked}'" if asked else "none of the usual names of a return"
    raise ImportRefused(f"{where} has {missing}; its names are {shown}. Name the return with --return-name")


def number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ImportRefused(f"{where} is '{text[:60]}', which is no number; correct it or leave it empty") from None
