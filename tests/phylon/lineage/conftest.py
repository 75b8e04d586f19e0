"""Lineages made by hand, and by chance as a population method would make them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from phylon.contract.lineage import RunLineage
from phylon.series import Series

Birth = tuple[int, int, int | None]
"""Step, slot, and the slot that is copied: its own for a reset, none for weights from nowhere."""


def lineage_of(
    size: int,
    births: Sequence[Birth],
    end_step: int = 6000,
    values: Mapping[int, dict[str, float]] | None = None,
    **changes: Any,
) -> RunLineage:
    """Founders are spans 0 to size - 1; births follow in order. Births of one step happen at once."""
    spans: list[dict[str, Any]] = []
    living: dict[int, int] = {}

    def begin(slot: int, parent: int | None, step: int, operator: str) -> None:
        if slot in living:
            spans[living[slot]]["end_step"] = step
        id = len(spans)
        before = None if parent is None else spans[parent]["hyperparams"]
        discount = {"discount": round(0.9 + id / 1000, 4)} if values is None else values[id]
        spans.append(
            {
                "id": id,
                "slot": slot,
                "parent": parent,
                "operator": operator,
                "changes": {"discount": "x1.2"},
                "hyperparams_before": before,
                "hyperparams": before if operator == "reset" else discount,
                "fitness": None,
                "parent_fitness": None,
                "rank": None,
                "weights": "",
                "start_step": step,
                "end_step": None,
                "start_wall": step / 100,
            }
        )
        living[slot] = id

    for slot in range(size):
        begin(slot, None, 0, "founder")
    for step in dict.fromkeys(birth[0] for birth in births):
        before = dict(living)
        for _, slot, donor in (birth for birth in births if birth[0] == step):
            operator = "sample" if donor is None else "reset" if donor == slot else "perturb"
            begin(slot, None if donor is None else before[donor], step, operator)
    return RunLineage.model_validate(
        {
            "population_size": size,
            "end_step": end_step,
            "tuned": [
                {"name": "discount", "scale": "linear", "low": 0.9, "high": 1.0, "names": None, "read": "training"}
            ],
            "spans": spans,
        }
        | changes
    )


@pytest.fixture(scope="session")
def make_lineage() -> Callable[..., RunLineage]:
    return lineage_of


@pytest.fixture(scope="session")
def make_series() -> Callable[..., Series]:
    def make(steps: Sequence[int], values: Sequence[Sequence[float]]) -> Series:
        return Series(np.array(steps, np.int64), np.array(steps) / 100.0, np.array(values, np.float64))

    return make


@pytest.fixture(scope="session")
def draw_lineage() -> Callable[..., RunLineage]:
    """By chance: any slot may copy any other, several at once; with `odd`, members are also reset or drawn anew."""

    def draw(data: st.DataObject, odd: bool = True) -> RunLineage:
        size = data.draw(st.integers(1, 6), "size")
        births: list[Birth] = []
        for number in range(1, data.draw(st.integers(0, 8), "selections") + 1):
            born = data.draw(st.lists(st.integers(0, size - 1), unique=True), "born")
            for slot in born:
                donor = data.draw(st.integers(-1, size - 1) if odd else st.integers(0, size - 1), "donor")
                if odd or donor != slot:
                    births.append((number * 100, slot, None if donor < 0 else donor))
        return lineage_of(size, births, end_step=1000)

    return draw
