"""A table on its way into a file: typed columns whose rows come in batches, so that no run has to fit in memory."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

Kind = Literal["text", "integer", "single", "double"]
"""`single` holds 32 bits: metrics are measured, stored and written with that many."""

Values = list[Any] | NDArray[Any]
"""Of one column. In a list, None says that there is no value; NaN is a value."""


class Column(NamedTuple):
    name: str
    kind: Kind


class Table(NamedTuple):
    columns: list[Column]
    batches: Iterable[list[Values]]
    """Each has one entry a column, all of the same length."""
