"""Lineage as a table with one row per span."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from phylon.contract.lineage import LineageSpan
from phylon.export.tables import Column, Table, Values
from phylon.spec import AlgorithmSpec, hyperparameters
from phylon.spec.algorithms import names_of

Categories = Mapping[str, Sequence[str]]
"""What the values 0, 1, 2, … of a hyper-parameter are called, for those that are names."""

Pages = Callable[[], Iterable[Sequence[LineageSpan]]]
"""The spans, page by page. Asked twice: columns must be known before the first row is written."""

_FIXED: dict[Column, Callable[[LineageSpan], Any]] = {
    Column("span", "integer"): lambda span: span.id,
    Column("member", "integer"): lambda span: span.slot,
    Column("parent", "integer"): lambda span: span.parent,
    Column("operator", "text"): lambda span: span.operator,
    Column("start_step", "integer"): lambda span: span.start_step,
    Column("end_step", "integer"): lambda span: span.end_step,
    Column("start_wall_seconds", "double"): lambda span: span.start_wall,
    Column("fitness", "double"): lambda span: span.fitness,
    Column("parent_fitness", "double"): lambda span: span.parent_fitness,
    Column("rank", "integer"): lambda span: span.rank,
    Column("weights", "text"): lambda span: span.weights,
    Column("diverged_step", "integer"): lambda span: span.diverged and span.diverged.step,
    Column("diverged_metric", "text"): lambda span: span.diverged and span.diverged.metric,
    Column("diverged_value", "double"): lambda span: span.diverged and span.diverged.value,
}


def categories_of(algorithm: AlgorithmSpec) -> Categories:
    return {name: names for name in hyperparameters(algorithm) if (names := names_of(type(algorithm), name))}


def lineage_table(pages: Pages, categories: Categories) -> Table:
    """Columns: what every span has, then `hyperparams.*`, `before.*`, `change.*` and `reason.*` for each name that
    occurs.

    Categories stand there by name. `parent` is the `span` whose weights it began with.
    """
    read = _FIXED | _named(pages(), categories)
    return Table(list(read), _batches(pages(), list(read.values())))


def _batches(
    pages: Iterable[Sequence[LineageSpan]], readers: Sequence[Callable[[LineageSpan], Any]]
) -> Iterator[list[Values]]:
    for page in pages:
        yield [[read(span) for span in page] for read in readers]


def _named(
    pages: Iterable[Sequence[LineageSpan]], categories: Categories
) -> dict[Column, Callable[[LineageSpan], Any]]:
    values: dict[str, None] = {}
    before: dict[str, None] = {}
    changes: dict[str, None] = {}
    reasons: dict[str, None] = {}
    for page in pages:
        for span in page:
            values |= dict.fromkeys(span.hyperparams)
            before |= dict.fromkeys(span.hyperparams_before or ())
            changes |= dict.fromkeys(span.changes)
            reasons |= dict.fromkeys(span.reasons)
    return {
        **{_column("hyperparams", name, categories): _value_of(name, categories.get(name)) for name in values},
        **{_column("before", name, categories): _value_before(name, categories.get(name)) for name in before},
        **{Column(f"change.{name}", "text"): _change_of(name) for name in changes},
        **{Column(f"reason.{name}", "double"): _reason_of(name) for name in reasons},
    }


def _column(group: str, name: str, categories: Categories) -> Column:
    return Column(f"{group}.{name}", "text" if name in categories else "double")


def _value_of(name: str, names: Sequence[str] | None) -> Callable[[LineageSpan], float | str | None]:
    return lambda span: _spelled(span.hyperparams.get(name), names)


def _value_before(name: str, names: Sequence[str] | None) -> Callable[[LineageSpan], float | str | None]:
    return lambda span: _spelled((span.hyperparams_before or {}).get(name), names)


def _change_of(name: str) -> Callable[[LineageSpan], str | None]:
    return lambda span: span.changes.get(name)


def _reason_of(name: str) -> Callable[[LineageSpan], float | None]:
    return lambda span: span.reasons.get(name)


def _spelled(value: float | None, names: Sequence[str] | None) -> float | str | None:
    if names is None or value is None:
        return value
    return names[int(value)] if value in range(len(names)) else None
