"""A lineage in Newick form, which programs that draw phylogenies read.

Every span is a leaf `m3.s17` (member 3, span 17) at the step where it ends, and distances from the root are
steps. A node is a birth: its first branch is the parent living on, the others are the children born at that step.
"""

from itertools import groupby

from phylon.contract.lineage import LineageSpan, RunLineage
from phylon.lineage.ancestry import in_order_of_birth


def label(span: LineageSpan) -> str:
    return f"m{span.slot}.s{span.id}"


def newick(lineage: RunLineage) -> str:
    """One tree; founders hang on a root at step 0."""
    ordered = in_order_of_birth(lineage)
    known = {span.id for span in ordered}
    children: dict[int, list[LineageSpan]] = {}
    for span in ordered:
        if span.parent in known:
            children.setdefault(span.parent, []).append(span)
    texts: dict[int, str] = {}
    roots: list[str] = []
    # Backwards, because children come later than their parents; recursion would be too deep for a long lineage.
    for span in reversed(ordered):
        end = lineage.end_step if span.end_step is None else span.end_step
        text, upper = label(span), end
        for step, born in groupby(reversed(children.get(span.id, [])), key=lambda child: child.start_step):
            branches = ",".join(texts.pop(child.id) for child in reversed(list(born)))
            text, upper = f"({text}:{upper - step},{branches})", step
        if span.parent in known:
            texts[span.id] = f"{text}:{upper - span.start_step}"
        else:
            roots.append(f"{text}:{upper}")
    return f"({','.join(reversed(roots))})root;\n"
