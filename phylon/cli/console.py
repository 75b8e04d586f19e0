"""Where the CLI writes: results to stdout, for people or as JSON; complaints and progress to stderr."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from phylon.contract.events import FinalReturn
from phylon.spec import Note, Problem

out = Console()
err = Console(stderr=True)

WIDTH_OF_A_PIPE = 200
"""Nothing wraps at the width of a terminal that is not there."""


def say(text: str) -> None:
    """A line for people."""
    out.print(text, soft_wrap=True, highlight=False)


def complain(message: str) -> None:
    err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True, highlight=False)


def print_json(value: Any) -> None:
    """A result for a script: plain, never coloured or wrapped."""
    out.print(json.dumps(value, indent=2, ensure_ascii=False), markup=False, highlight=False, soft_wrap=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    (out if out.is_terminal else Console(width=WIDTH_OF_A_PIPE)).print(table)


def show_problems(problems: Sequence[Problem]) -> None:
    """Every problem of a spec: where, what, which value, and what to do."""
    count = len(problems)
    complain(f"the spec has {count} problem{'s' if count != 1 else ''}")
    for problem in problems:
        value = "" if problem["value"] is None else f" (got {problem['value']!r})"
        err.print(
            f"  [bold]{escape(problem['path'] or 'spec')}[/]: {escape(problem['message'] + value)}", soft_wrap=True
        )
        err.print(f"      → {escape(problem['remedy'])}", soft_wrap=True, highlight=False)


def show_notes(notes: Sequence[Note]) -> None:
    """What will differ from what was written."""
    for note in notes:
        err.print(f"note: [bold]{escape(note['path'])}[/]: {escape(note['message'])}", soft_wrap=True, highlight=False)


def final_return(final: FinalReturn | None) -> str:
    """With half its 95 % interval, where there is one."""
    if final is None:
        return "-"
    half = final.high - final.mean
    return number(final.mean) if half != half else f"{number(final.mean)} ± {number(half)}"


def number(value: float | None) -> str:
    """A return or a rate, short enough for a table."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def duration(seconds: float | None) -> str:
    if seconds is None or seconds != seconds:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(byte_count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if byte_count < 1000:
            return f"{byte_count:.3g} {unit}"
        byte_count /= 1000
    return f"{byte_count:.3g} TB"
