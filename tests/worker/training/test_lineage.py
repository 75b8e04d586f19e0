"""Spans: numbered in order, each with the parent whose weights it began with."""

import numpy as np
import pytest

from phylon.worker.population import Birth, Evolution
from phylon.worker.training.checks import MutationNotProven, check_copies, check_hyperparams
from phylon.worker.training.lineage import Lineage

BEFORE = {"discount": np.array([0.9, 0.95, 0.99], np.float32), "target_rate": np.full(3, 0.5, np.float32)}
AFTER = {"discount": np.array([0.99, 0.95, 0.99], np.float32), "target_rate": np.full(3, 0.5, np.float32)}
WEIGHTS = np.array([[1, 2], [3, 4], [5, 0xABCDEF01]], np.uint32)


@pytest.fixture
def lineage():
    lineage = Lineage(3)
    lineage.founders(BEFORE, ["discount"], WEIGHTS)
    return lineage


def replace_first_by_last(lineage):
    return lineage.births(
        Evolution((), np.array([2, 1, 2], np.int32), AFTER, {}, {"gain": np.array([0.5, np.nan, np.nan], np.float32)}),
        births=[Birth("copy", {"discount": "inherit"}), None, None],
        before=BEFORE,
        fitness=np.array([1, 2, 3], np.float32),
        ranks=np.array([2, 1, 0], np.int32),
        weights=WEIGHTS[[2, 1, 2]],
    )


def test_founders():
    founders = Lineage(3).founders(BEFORE, ["discount"], WEIGHTS)
    assert [(f.id, f.slot, f.parent, f.operator, f.changes) for f in founders] == [
        (slot, slot, None, "founder", {"discount": "draw"}) for slot in range(3)
    ]
    assert founders[1].hyperparams == {"discount": pytest.approx(0.95), "target_rate": 0.5}
    assert founders[2].weights == "00000005abcdef01"


def test_a_child_tells_why_and_from_whom(lineage):
    (child,) = replace_first_by_last(lineage)
    assert (child.id, child.slot, child.parent, child.operator) == (3, 0, 2, "copy")
    assert child.hyperparams_before["discount"] == child.hyperparams["discount"] == pytest.approx(0.99)
    assert (child.fitness, child.parent_fitness, child.rank) == (1, 3, 2)
    assert child.weights == "00000005abcdef01"
    assert child.reasons == {"gain": 0.5}


def test_grandchildren_descend_from_the_child(lineage):
    replace_first_by_last(lineage)
    grandchild, explorer = lineage.births(
        Evolution((), np.array([0, 0, 2], np.int32), AFTER, {}),
        births=[None, Birth("perturb", {"discount": "x1.2"}), Birth("perturb", {"discount": "x0.8"})],
        before=AFTER,
        fitness=np.zeros(3, np.float32),
        ranks=np.arange(3, dtype=np.int32),
        weights=WEIGHTS,
    )
    assert (grandchild.id, grandchild.slot, grandchild.parent, grandchild.operator) == (4, 1, 3, "perturb")
    assert (explorer.id, explorer.slot, explorer.parent) == (5, 2, 2)  # one that lives on with other values


def test_goes_on_from_a_checkpoint(lineage):
    restored = Lineage(3)
    restored.from_arrays(lineage.to_arrays())
    assert replace_first_by_last(restored) == replace_first_by_last(lineage)


class TestProof:
    def test_accepts_what_was_planned(self):
        check_copies(WEIGHTS, WEIGHTS[[2, 1, 2]], np.array([2, 1, 2]), AFTER)
        check_hyperparams(AFTER, {name: values.copy() for name, values in AFTER.items()})

    def test_one_bit_of_weights(self):
        after = WEIGHTS.copy()
        after[1, 1] ^= 1
        with pytest.raises(MutationNotProven, match=r"slot 1 should hold the weights of slot 1 \(0000000300000004\)"):
            check_copies(WEIGHTS, after, np.arange(3), AFTER)

    def test_one_bit_of_a_hyperparameter(self):
        used = {name: values.copy() for name, values in AFTER.items()}
        used["discount"].view(np.uint32)[2] ^= 1
        with pytest.raises(MutationNotProven, match="slot 2 should train with discount") as caught:
            check_hyperparams(AFTER, used)
        assert caught.value.member == 2
