"""Interruptions as a table: where a run was interrupted and kept its work. An undisturbed run has no rows."""

from collections.abc import Sequence

from phylon.contract.events import Interrupted, RunEvent
from phylon.contract.runs import Interruption
from phylon.export.tables import Column, Table

COLUMNS = [Column("step", "integer"), Column("reason", "text")]


def interruptions_of_events(events: Sequence[RunEvent]) -> list[Interruption]:
    """In the form that the service answers with."""
    return [Interruption(step=event.step, reason=event.reason) for event in events if isinstance(event, Interrupted)]


def interruptions_table(interruptions: Sequence[Interruption]) -> Table:
    return Table(COLUMNS, [[[each.step for each in interruptions], [each.reason for each in interruptions]]])
