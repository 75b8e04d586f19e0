"""What births brought, in a population small enough to reckon by hand."""

from math import nan

from phylon.contract.lineage import Gain
from phylon.lineage.gain import births, by_move, by_operator
from phylon.lineage.summary import summarise


def with_changes(lineage, **changes):
    """The lineage with other words about its spans, by id."""
    spans = [span.model_copy(update=changes.get(f"s{span.id}", {})) for span in lineage.spans]
    return lineage.model_copy(update={"spans": spans})


def small(make_lineage):
    """At 1000 slot 1 copies slot 0; its value rises from 0.90 to 0.93. At 2000 slot 1 copies slot 2; it falls."""
    lineage = make_lineage(3, [(1000, 1, 0), (2000, 1, 2)], end_step=3000)
    return with_changes(
        lineage,
        s3={"fitness": 10.0, "parent_fitness": 30.0},
        s4={"fitness": 35.0, "parent_fitness": 50.0, "operator": "resample", "hyperparams": {"discount": 0.8}},
    )


SERIES = ([1000, 2000, 3000], [[30, 10, 20], [40, 35, 50], [41, 45, 60]])


def test_a_child_is_measured_at_its_first_evaluation(make_lineage, make_series):
    first, second = births(small(make_lineage), make_series(*SERIES))
    # At 2000 the child has 35: it replaced a 10, came from a 30, and its parent now has 40.
    assert (first.gain.over_replaced, first.gain.over_parent, first.gain.beside_parent) == (25, 5, -5)
    assert (second.gain.over_replaced, second.gain.over_parent, second.gain.beside_parent) == (10, -5, -15)


def test_who_was_replaced_before_an_evaluation_has_no_gain(make_lineage, make_series):
    lineage = make_lineage(3, [(1000, 1, 0), (1500, 1, 0), (1500, 0, 2)])
    early, late, _ = births(lineage, make_series(*SERIES))
    assert early.gain.beside_parent is None
    assert late.gain.beside_parent is None  # its parent was replaced at its birth


def test_a_reset_has_no_parent_beside_it(make_lineage, make_series):
    lineage = with_changes(make_lineage(1, [(1000, 0, 0)]), s1={"fitness": 30.0, "parent_fitness": 30.0})
    (birth,) = births(lineage, make_series([1000, 2000], [[30], [12]]))
    assert (birth.gain.over_replaced, birth.gain.beside_parent) == (-18, None)


def test_nothing_is_known_without_evaluations(make_lineage):
    unknown = Gain(over_replaced=None, over_parent=None, beside_parent=None)
    assert [birth.gain for birth in births(small(make_lineage), None)] == [unknown, unknown]


def test_operators_are_compared(make_lineage, make_series):
    perturb, resample = by_operator(births(small(make_lineage), make_series(*SERIES)))
    assert (perturb.operator, perturb.births, perturb.over_replaced) == ("perturb", 1, 25)
    assert (resample.operator, resample.over_parent, resample.beside_parent) == ("resample", -5, -15)


def test_what_is_not_a_number_does_not_spoil_a_mean(make_lineage, make_series):
    lineage = with_changes(small(make_lineage), s4={"operator": "perturb", "fitness": nan, "parent_fitness": 50.0})
    (perturb,) = by_operator(births(lineage, make_series(*SERIES)))
    assert (perturb.births, perturb.over_replaced, perturb.over_parent) == (2, 25, 0)


def test_moves_are_compared(make_lineage, make_series):
    lineage = small(make_lineage)
    down, up = by_move(births(lineage, make_series(*SERIES)), lineage.tuned)
    assert (up.name, up.move, up.births, up.beside_parent, up.helped) == ("discount", "up", 1, -5, 0)
    assert (down.move, down.beside_parent) == ("down", -15)


def test_moves_of_categories_tell_where_to(make_lineage, make_series):
    lineage = small(make_lineage)
    tuned = lineage.tuned[0].model_copy(update={"names": ["crop", "flip"], "scale": "choice"})
    lineage = with_changes(
        lineage,
        s3={"hyperparams_before": {"discount": 0.0}, "hyperparams": {"discount": 1.0}},
        s4={"hyperparams_before": {"discount": 0.0}, "hyperparams": {"discount": 0.0}},
    )
    assert [move.move for move in by_move(births(lineage, None), [tuned])] == ["kept", "to flip"]


def test_the_summary_says_it_all(make_lineage, make_series):
    summary = summarise(small(make_lineage), make_series(*SERIES))
    assert (summary.founders, summary.exploits, summary.common_ancestor) == (3, 2, None)
    assert [(founder.member, founder.share) for founder in summary.founders_alive] == [(2, 2 / 3), (0, 1 / 3)]
    assert summary.winner.model_dump() == {
        "member": 2,
        "span": 2,
        "step": 3000,
        "last_return": 60,
        "generations": 0,
        "ancestry": [2],
    }
    assert [operator.operator for operator in summary.operators] == ["perturb", "resample"]


def test_the_summary_of_nobody(make_lineage):
    summary = summarise(make_lineage(0, []), None)
    assert (summary.founders, summary.founders_alive, summary.winner) == (0, [], None)
