"""The tree of the living: one line a living member, which leaves the line of a relative where their ancestries part.

What died out is not in it, so a population of eight has eight lines however long it evolved.
"""

from collections.abc import Mapping
from typing import NamedTuple

from phylon.contract.lineage import LineageSpan, RunLineage
from phylon.lineage.ancestry import by_id, in_order_of_birth, living, path_to

Children = Mapping[int, list[LineageSpan]]
"""Those with living descendants, in order of birth, by parent."""


class Line(NamedTuple):
    spans: list[LineageSpan]
    """From where it begins to the living member in which it ends."""
    branches: "list[Line]"
    """In order of the steps at which they leave this one."""


def lines_of_living(lineage: RunLineage) -> list[Line]:
    """One for each founder with living descendants, by slot."""
    spans = by_id(lineage)
    surviving = {ancestor.id for span in living(lineage) for ancestor in path_to(spans, span.id)}
    children: dict[int, list[LineageSpan]] = {}
    roots: list[LineageSpan] = []
    for span in in_order_of_birth(lineage):
        if span.id in surviving:
            parent = span.parent
            (roots if parent is None or parent not in spans else children.setdefault(parent, [])).append(span)
    return [_line(root, children) for root in sorted(roots, key=lambda root: root.slot)]


def _line(first: LineageSpan, children: Children) -> Line:
    """A span that lives on is the end of its line; in one that ended, the latest born child takes the line over."""
    chain = [first]
    leaving: list[LineageSpan] = []
    while chain[-1].end_step is not None:
        *others, heir = children[chain[-1].id]
        leaving += others
        chain.append(heir)
    leaving += children.get(chain[-1].id, [])
    return Line(chain, [_line(branch, children) for branch in leaving])
