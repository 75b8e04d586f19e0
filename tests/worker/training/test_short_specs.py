"""The shortest specs of every algorithm and every method really start, and train to their end."""

from typing import Any

import pytest

from phylon.catalogue import entries
from phylon.contract.events import Finished
from phylon.registry import algorithms, methods
from phylon.spec import SpecInvalid, parse_spec

SMALL_SUITES = ("toy", "probe")
BUDGET = 120


def document(algorithm: str, **sections: Any) -> dict[str, Any]:
    """On the first small environment that the algorithm can play."""
    for entry in entries():
        if entry.suite in SMALL_SUITES:
            environment = {"suite": entry.suite, "id": entry.id}
            found = {"environment": environment, "algorithm": algorithm, "budget": BUDGET, **sections}
            try:
                parse_spec(found)
            except SpecInvalid:
                continue
            return found
    raise AssertionError(f"no small environment for {algorithm}")


WITHOUT_MORE = [name for name, method in methods().items() if "schedule" not in method.spec.model_fields]
"""A schedule has to be written."""


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", list(algorithms()))
def test_every_algorithm_trains_from_a_short_spec(algorithm: str, train_here):
    events = train_here(document(algorithm, population=2, execution="vectorized"))
    assert isinstance(events[-1], Finished)


@pytest.mark.slow
@pytest.mark.parametrize("method", WITHOUT_MORE)
def test_every_method_trains_from_a_short_spec(method: str, train_here):
    able = [name for name, each in algorithms().items() if methods()[method].can_train(each)]
    chosen = next((name for name in able if algorithms()[name].home is not None), able[0])
    sections = {"population": {"size": 4, "method": method}, "execution": "vectorized"}
    events = train_here(document(chosen, **sections))
    assert isinstance(events[-1], Finished)
