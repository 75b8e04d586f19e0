"""Spans: numbered in order, each with the parent whose weights it began with."""

import jax
import numpy as np
import pytest

from phylon.spec import parse_spec
from phylon.worker.population import Birth, Evolution, PopulationScores, build_method, sample_hyperparams
from phylon.worker.training.checks import MutationNotProven, check_copies, check_hyperparams
from phylon.worker.training.lineage import Lineage

BEFORE = {"discount": np.array([0.9, 0.95, 0.99], np.float32), "target_rate": np.full(3, 0.5, np.float32)}
AFTER = {"discount": np.array([0.99, 0.95, 0.99], np.float32), "target_rate": np.full(3, 0.5, np.float32)}
WEIGHTS = np.array([[1, 2], [3, 4], [5, 0xABCDEF01]], np.uint32)
NEW = [None] * 3
"""Founders whose weights were drawn."""


@pytest.fixture
def lineage():
    lineage = Lineage(3)
    lineage.founders(BEFORE, ["discount"], WEIGHTS, NEW)
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
    founders = Lineage(3).founders(BEFORE, ["discount"], WEIGHTS, NEW)
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


def test_values_before_are_those_that_exploration_began_with(lineage):
    """The first slot goes on with the last one's weights and moves its own discount, 0.9, by a factor."""
    moved = {**AFTER, "discount": np.array([0.92, 0.95, 0.99], np.float32)}
    plan = Evolution((), np.array([2, 1, 2], np.int32), moved, {}, explored_from=BEFORE)
    (child,) = lineage.births(
        plan,
        births=[Birth("perturb", {"discount": "1-x x0.8"}), None, None],
        before=BEFORE,
        fitness=np.array([1, 2, 3], np.float32),
        ranks=np.array([2, 1, 0], np.int32),
        weights=WEIGHTS[[2, 1, 2]],
    )
    assert child.parent == 2
    assert child.hyperparams_before["discount"] == pytest.approx(0.9)
    assert 1 - child.hyperparams["discount"] == pytest.approx(0.8 * (1 - child.hyperparams_before["discount"]))


METHODS = {
    "own values": {"name": "pbt", "copying": {"hyperparams": False}, "explorers": "everyone"},
    "parent's values": {"name": "pbt"},
    "migrants": {"name": "mf_pbt", "frequencies": [1, 2]},
}


def spans_of_one_evolution(method, knows_start=True):
    """Sixteen members, of whom the best have the highest discounts, so that whose values they were can be seen."""
    size = 16
    spec = parse_spec(
        {
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {"name": "td3", "discount": {"uniform": [0.5, 0.999]}},
            "population": {"size": size, "method": method},
            "budget": "10k",
        }
    )
    built, fitness = build_method(spec), np.random.default_rng(0).permutation(size).astype(np.float32)
    before = jax.device_get(sample_hyperparams(jax.random.key(0), spec.algorithm, size))
    before["discount"] = np.float32(0.6) + np.float32(0.02) * fitness
    scores = PopulationScores(np.int32(0), fitness, fitness[:, None])
    state = jax.tree.map(lambda leaf: leaf + 1, built.init(jax.random.key(2), before))  # both parts of MF-PBT are due
    plan = jax.device_get(built.evolve(jax.random.key(1), state, before, scores))
    lineage, weights = Lineage(size), np.zeros((size, 2), np.uint32)
    lineage.founders(before, ["discount"], weights, [None] * len(weights))
    births = built.describe(plan)
    told = plan if knows_start else plan._replace(explored_from=None)
    return lineage.births(told, births, before, fitness, np.argsort(np.argsort(-fitness)).astype(np.int32), weights)


def check_words(spans):
    """What a word says of a value is what happened between before and after."""
    for span in spans:
        word, before, after = (
            span.changes["discount"],
            span.hyperparams_before["discount"],
            span.hyperparams["discount"],
        )
        if word in ("inherit", "part's best"):
            assert after == before, word
        elif word.startswith("1-x x"):
            factor = float(word.removeprefix("1-x x"))
            assert (1 - after) / (1 - before) == pytest.approx(factor, rel=1e-4), word


@pytest.mark.parametrize("name", METHODS)
def test_words_say_what_happened_between_before_and_after(name):
    spans = spans_of_one_evolution(METHODS[name])
    assert {span.changes["discount"] for span in spans} - {"inherit", "resample"}
    check_words(spans)


@pytest.mark.parametrize("name", ["own values", "migrants"])
def test_the_values_of_the_weights_parent_would_belie_them(name):
    with pytest.raises(AssertionError):
        check_words(spans_of_one_evolution(METHODS[name], knows_start=False))


def test_a_search_over_weights_keeps_the_values_of_a_slot(lineage):
    """Everyone descends from the last slot, whose discount is not theirs."""
    spans = lineage.births(
        Evolution((), np.arange(3, dtype=np.int32), BEFORE, {}),
        births=[Birth("sample", {}, parent=2)] * 3,
        before=BEFORE,
        fitness=np.zeros(3, np.float32),
        ranks=np.arange(3, dtype=np.int32),
        weights=WEIGHTS,
    )
    assert [span.parent for span in spans] == [2, 2, 2]
    assert all(span.hyperparams_before == span.hyperparams for span in spans)


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
