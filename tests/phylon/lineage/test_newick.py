"""Newick: what is written must be read back as the same tree."""

import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.contract.lineage import RunLineage
from phylon.lineage.newick import label, newick

TOKEN = re.compile(r"[(),;]|[^(),;]+")
Born = dict[str, tuple[str | None, int, int]]
"""By leaf: its parent's leaf, and the steps at which it begins and ends."""


def read(text: str) -> Born:
    """A reader of its own: the first branch of a node is the parent living on, the others are born there."""
    tokens = TOKEN.findall(text.strip())
    found: Born = {}

    def node(place: int, step: int, parent: str | None, start: int) -> tuple[str, int]:
        """The leaf in which the branch that hangs at `step` ends, and the next token."""
        branches: list[int] = []
        if tokens[place] == "(":
            depth, branches = 0, [place + 1]
            while True:
                depth += {"(": 1, ")": -1}.get(tokens[place], 0)
                if depth == 1 and tokens[place] == ",":
                    branches.append(place + 1)
                place += 1
                if depth == 0:
                    break
        name, length = tokens[place].split(":")
        here = step + int(length)
        if not branches:
            found[name] = (parent, start, here)
            return name, place + 1
        own, _ = node(branches[0], here, parent, start)
        for branch in branches[1:]:
            node(branch, here, own, here)
        return own, place + 1

    place = 1
    while tokens[place] != ")":
        _, place = node(place, 0, None, 0)
        place += tokens[place] == ","
    assert tokens[place:] == [")", "root", ";"]
    return found


def expected(lineage: RunLineage) -> Born:
    by_id = {span.id: span for span in lineage.spans}
    return {
        label(span): (
            None if span.parent is None else label(by_id[span.parent]),
            span.start_step if span.parent is not None else 0,
            lineage.end_step if span.end_step is None else span.end_step,
        )
        for span in lineage.spans
    }


def test_a_small_tree(make_lineage: Callable[..., RunLineage]):
    lineage = make_lineage(2, [(2000, 1, 0), (3000, 1, 0)], end_step=5000)
    assert newick(lineage) == "(((m0.s0:2000,m1.s3:2000):1000,m1.s2:1000):2000,m1.s1:2000)root;\n"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_reads_back(draw_lineage, data):
    lineage = draw_lineage(data)
    assert read(newick(lineage)) == expected(lineage)


def test_long_lineages_do_not_exhaust_the_stack(make_lineage):
    lineage = make_lineage(2, [(step, 1, 0) for step in range(1, 3000)], end_step=3000)
    text = newick(lineage)
    assert text.count("(") == text.count(")") == 3000
