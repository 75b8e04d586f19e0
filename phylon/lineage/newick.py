"""A lineage in Newick form, which programs that draw phylogenies read.

Every segment is a leaf `m3.s17` (member 3, segment 17) at the step where it ends, and distances from the root are
steps. A node is a birth: its first branch is the parent living on, the others are the children born at that step.
"""

from itertools import groupby

from phylon.lineage.ancestry import in_order_of_birth
from phylon.results import RunLineage, SegmentInTime


def label(segment: SegmentInTime) -> str:
    return f"m{segment.slot}.s{segment.id}"


def newick(lineage: RunLineage) -> str:
    """One tree; founders hang on a root at step 0."""
    ordered = in_order_of_birth(lineage)
    known = {segment.id for segment in ordered}
    children: dict[int, list[SegmentInTime]] = {}
    for segment in ordered:
        if segment.parent in known:
            children.setdefault(segment.parent, []).append(segment)
    texts: dict[int, str] = {}
    roots: list[str] = []
    # Backwards, because children come later than their parents; recursion would be too deep for a long lineage.
    for segment in reversed(ordered):
        end = lineage.end_step if segment.end_step is None else segment.end_step
        text, upper = label(segment), end
        for step, born in groupby(reversed(children.get(segment.id, [])), key=lambda child: child.start_step):
            branches = ",".join(texts.pop(child.id) for child in reversed(list(born)))
            text, upper = f"({text}:{upper - step},{branches})", step
        if segment.parent in known:
            texts[segment.id] = f"{text}:{upper - segment.start_step}"
        else:
            roots.append(f"{text}:{upper}")
    return f"({','.join(reversed(roots))})root;\n"
