"""Lineage: a span is a part of one member's training with constant hyper-parameters, and has at most one parent."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Hyperparams, Origin, Span
from phylon.worker.population import Birth, Evolution

HostHyperparams = Mapping[str, NDArray[np.float32]]
"""[P] for each name."""


class Lineage:
    """Numbers spans, and keeps the current one of each slot."""

    def __init__(self, population_size: int) -> None:
        self._open = np.full(population_size, -1, np.int64)
        self._next = 0

    def span_of(self, slot: int) -> int:
        return int(self._open[slot])

    def founders(
        self,
        hyperparams: HostHyperparams,
        tuned: list[str],
        weights: NDArray[np.uint32],
        origins: Sequence[Origin | None],
    ) -> list[Span]:
        """`origins`: of each founder; None for weights that were drawn."""
        return [
            Span(
                id=self._begin(slot),
                slot=slot,
                parent=None,
                operator="founder",
                changes=dict.fromkeys(tuned, "draw"),
                hyperparams_before=None,
                hyperparams=values_of(slot, hyperparams),
                fitness=None,
                parent_fitness=None,
                rank=None,
                weights=format_weights(weights[slot]),
                reasons={},
                origin=origin,
            )
            for slot, origin in enumerate(origins)
        ]

    def births(
        self,
        evolution: Evolution[NDArray[Any]],
        births: Sequence[Birth | None],
        before: HostHyperparams,
        fitness: NDArray[np.float32],
        ranks: NDArray[np.int32],
        weights: NDArray[np.uint32],
    ) -> list[Span]:
        """The spans that start with an evolution. `before`: the hyper-parameters until then."""
        parent_spans = self._open.copy()
        start = evolution.explored_from or {name: values[evolution.parents] for name, values in before.items()}
        return [
            Span(
                id=self._begin(slot),
                slot=slot,
                parent=int(parent_spans[parent]),
                operator=birth.operator,
                changes=birth.changes,
                hyperparams_before=values_of(slot, start),
                hyperparams=values_of(slot, evolution.hyperparams),
                fitness=float(fitness[slot]),
                parent_fitness=float(fitness[parent]),
                rank=int(ranks[slot]),
                weights=format_weights(weights[slot]),
                reasons=reasons_of(slot, evolution.reasons),
                origin=None,
            )
            for slot, (copied, birth) in enumerate(zip(evolution.parents.tolist(), births, strict=True))
            if birth is not None
            for parent in [copied if birth.parent is None else birth.parent]
        ]

    def resets(
        self,
        parts: Sequence[str],
        hyperparams: HostHyperparams,
        fitness: NDArray[np.float32],
        weights: NDArray[np.uint32],
        slots: Sequence[int],
    ) -> list[Span]:
        """A new span for each of `slots`, the child of the slot's previous one."""
        parents = self._open.copy()
        return [
            Span(
                id=self._begin(slot),
                slot=slot,
                parent=int(parents[slot]),
                operator="reset",
                changes=dict.fromkeys(parts, "reset"),
                hyperparams_before=values_of(slot, hyperparams),
                hyperparams=values_of(slot, hyperparams),
                fitness=float(fitness[slot]),
                parent_fitness=float(fitness[slot]),
                rank=None,
                weights=format_weights(weights[slot]),
                reasons={},
                origin=None,
            )
            for slot in slots
        ]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"open": self._open.copy(), "next": np.array(self._next)}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._open[:] = arrays["open"]
        self._next = int(arrays["next"])

    def _begin(self, slot: int) -> int:
        self._open[slot] = self._next
        self._next += 1
        return int(self._open[slot])


def values_of(slot: int, hyperparams: HostHyperparams) -> Hyperparams:
    return {name: float(values[slot]) for name, values in hyperparams.items()}


def reasons_of(slot: int, reasons: HostHyperparams | None) -> dict[str, float]:
    """Those that apply to this slot."""
    return {name: float(values[slot]) for name, values in (reasons or {}).items() if not np.isnan(values[slot])}


def format_weights(words: NDArray[np.uint32]) -> str:
    return "".join(f"{int(word):08x}" for word in words)
