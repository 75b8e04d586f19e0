"""Descent in lineages whose answers are known, and by chance against answers found the slow way."""

from math import nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.lineage.ancestry import (
    NoSuchMember,
    Shares,
    ancestry,
    by_id,
    choose,
    common_ancestor,
    copies,
    evaluated_at,
    founder_shares,
    founders,
    generations_to_common_ancestor,
    living,
    winner,
)
from phylon.lineage.lines import Line, lines_of_living

# Slot 3 copies slot 0 at 2000 (span 4), slot 1 copies slot 3 at 4000 (span 5): 0 → 4 → 5.
TWO_COPIES = [(2000, 3, 0), (4000, 1, 3)]
# Then slots 0 and 2 copy slot 1: everybody descends from span 4, two copies back.
TAKEOVER = [*TWO_COPIES, (5000, 0, 1), (5000, 2, 1)]


class TestAncestry:
    def test_leads_from_the_founder_to_the_descendant(self, make_lineage):
        assert [span.id for span in ancestry(make_lineage(4, TWO_COPIES), 5)] == [0, 4, 5]

    def test_of_a_founder_is_itself(self, make_lineage):
        assert [span.id for span in ancestry(make_lineage(4, TWO_COPIES), 2)] == [2]

    def test_of_nobody_is_empty(self, make_lineage):
        assert ancestry(make_lineage(4, []), 99) == []

    def test_a_reset_is_no_copy(self, make_lineage):
        lineage = make_lineage(2, [(1000, 0, 0), (2000, 1, 0)])
        assert [span.id for span in ancestry(lineage, 3)] == [0, 2, 3]
        assert copies(ancestry(lineage, 3)) == 1


class TestCommonAncestor:
    def test_none_while_several_founders_live_on(self, make_lineage):
        lineage = make_lineage(4, TWO_COPIES)
        assert common_ancestor(lineage) is None
        assert generations_to_common_ancestor(lineage) is None

    def test_is_the_latest_that_all_share(self, make_lineage):
        lineage = make_lineage(4, TAKEOVER)
        assert common_ancestor(lineage).id == 4
        assert generations_to_common_ancestor(lineage) == 2

    def test_a_member_alone_is_its_own(self, make_lineage):
        assert generations_to_common_ancestor(make_lineage(1, [(1000, 0, 0)])) == 0

    def test_none_before_anyone_is_born(self, make_lineage):
        assert common_ancestor(make_lineage(0, [])) is None

    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_agrees_with_the_slow_way(self, draw_lineage, data):
        lineage = draw_lineage(data)
        spans = by_id(lineage)
        ancestors = [{ancestor.id for ancestor in ancestry(lineage, member.id)} for member in living(lineage)]
        shared = set.intersection(*ancestors)
        found = common_ancestor(lineage)
        if not shared:
            assert found is None
            return
        # The one from which every other shared ancestor is an ancestor.
        latest = [id for id in shared if shared == {ancestor.id for ancestor in ancestry(lineage, id)}]
        assert [found.id] == latest

        def distance(id: int) -> int:
            steps = 0
            while id != found.id:
                parent = spans[id].parent
                steps += spans[parent].slot != spans[id].slot
                id = parent
            return steps

        assert generations_to_common_ancestor(lineage) == max(distance(member.id) for member in living(lineage))


class TestFounders:
    def test_shares_change_with_each_copy(self, make_lineage):
        assert founder_shares(make_lineage(4, TAKEOVER)) == [
            Shares(0, {0: 0.25, 1: 0.25, 2: 0.25, 3: 0.25}),
            Shares(2000, {0: 0.5, 1: 0.25, 2: 0.25}),
            Shares(4000, {0: 0.75, 2: 0.25}),
            Shares(5000, {0: 1.0}),
        ]

    def test_a_copy_within_a_family_changes_nothing(self, make_lineage):
        assert [shares.step for shares in founder_shares(make_lineage(2, [(100, 1, 0), (200, 0, 1)]))] == [0, 100]

    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_shares_are_those_of_the_living(self, draw_lineage, data):
        lineage = draw_lineage(data)
        founder_of = founders(lineage)
        alive = [founder_of[member.id] for member in living(lineage)]
        last = founder_shares(lineage)[-1].founders
        assert {founder: alive.count(founder) / len(alive) for founder in set(alive)} == last
        assert all(sum(shares.founders.values()) == pytest.approx(1) for shares in founder_shares(lineage))
        assert all(ancestry(lineage, id)[0].id == founder for id, founder in founder_of.items())


class TestWinner:
    def test_is_the_best_at_the_last_evaluation(self, make_lineage, make_series):
        best = winner(make_lineage(3, []), make_series([1000, 2000], [[9, 0, 0], [1, 3, 2]]))
        assert (best.span.id, best.last_return, best.step) == (1, 3, 2000)

    def test_is_who_was_evaluated_not_who_was_born_then(self, make_lineage, make_series):
        lineage = make_lineage(2, [(2000, 1, 0)])
        assert winner(lineage, make_series([2000], [[1, 5]])).span.id == 1
        assert evaluated_at(lineage, 1, 2001).id == 2

    def test_nan_never_wins(self, make_lineage, make_series):
        assert winner(make_lineage(2, []), make_series([1000], [[nan, -3]])).span.slot == 1
        assert winner(make_lineage(2, []), make_series([1000], [[nan, nan]])) is None

    def test_nobody_before_an_evaluation(self, make_lineage):
        assert winner(make_lineage(2, []), None) is None

    def test_members_can_be_chosen(self, make_lineage, make_series):
        lineage = make_lineage(4, TWO_COPIES)
        assert choose(lineage, None, 3).id == 4
        assert choose(lineage, make_series([6000], [[0, 0, 1, 0]]), "best").id == 2
        with pytest.raises(NoSuchMember, match="from 0 to 3"):
            choose(lineage, None, 4)
        with pytest.raises(NoSuchMember, match="none was evaluated"):
            choose(lineage, None, "best")


class TestLines:
    def test_show_where_ancestries_part(self, make_lineage):
        lineage = make_lineage(4, TAKEOVER)
        (line,) = lines_of_living(lineage)
        # Founder 0 ended; its only child with living descendants, span 4, lives on in slot 3.
        assert [span.id for span in line.spans] == [0, 4]
        (branch,) = line.branches
        assert [span.id for span in branch.spans] == [5]
        assert [[span.id for span in twig.spans] for twig in branch.branches] == [[6], [7]]

    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_one_for_each_living_member(self, draw_lineage, data):
        lineage = draw_lineage(data)

        def flat(line: Line) -> list[Line]:
            return [line, *(inner for branch in line.branches for inner in flat(branch))]

        lines = [line for root in lines_of_living(lineage) for line in flat(root)]
        assert sorted(line.spans[-1].slot for line in lines) == list(range(lineage.population_size))
        ids = [span.id for line in lines for span in line.spans]
        assert len(ids) == len(set(ids))
