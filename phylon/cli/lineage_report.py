"""A lineage for people: numbers, the winner's ancestry, what operators gained, and the tree of the living."""

from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from phylon.cli.console import number, out, print_table, say
from phylon.contract.lineage import LineageSpan, LineageSummary, RunLineage
from phylon.lineage.ancestry import by_id
from phylon.lineage.lines import Line, lines_of_living
from phylon.lineage.newick import label
from phylon.lineage.schedule import spelled
from phylon.lineage.summary import summarise
from phylon.series import Series

MOST_MOVES = 12
COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")
"""Of founders, in turn."""


def report(lineage: RunLineage, returns: Series | None) -> None:
    if not lineage.spans:
        say("nobody is born yet")
        return
    summary = summarise(lineage, returns)
    print_table(["lineage", ""], _numbers(summary))
    if summary.winner:
        spans = by_id(lineage)
        say("")
        print_table(
            ["the winner's ancestry", "member", "from step", "by", *(tuned.name for tuned in lineage.tuned)],
            [_ancestor(spans[id], lineage) for id in summary.winner.ancestry],
            right=["from step"],
        )
    if summary.operators:
        say("")
        print_table(
            ["operator", "births", "over replaced", "over parent", "beside parent"],
            [
                [
                    each.operator,
                    str(each.births),
                    *map(_gain, (each.over_replaced, each.over_parent, each.beside_parent)),
                ]
                for each in summary.operators
            ],
            right=["births", "over replaced", "over parent", "beside parent"],
        )
    if any(move.beside_parent is not None for move in summary.moves):
        say("")
        print_table(
            ["hyper-parameter", "move", "births", "beside parent", "helped"],
            [
                [move.name, move.move, str(move.births), _gain(move.beside_parent), _share(move.helped)]
                for move in summary.moves[:MOST_MOVES]
            ],
            right=["births", "beside parent", "helped"],
        )
    say("")
    out.print(_tree(lineage), soft_wrap=True)


def _numbers(summary: LineageSummary) -> list[tuple[str, str]]:
    families = ", ".join(f"m{founder.member} {founder.share:.0%}" for founder in summary.founders_alive)
    back = summary.generations_to_common_ancestor
    rows = [
        ("members", str(summary.population_size)),
        ("founders alive", f"{len(summary.founders_alive)} of {summary.founders}: {families}"),
        ("common ancestor", "none: several founders live on" if back is None else f"{back} generations back"),
        ("exploits", str(summary.exploits)),
    ]
    if summary.winner:
        won = summary.winner
        rows.append(("winner", f"m{won.member} with {number(won.last_return)} at step {won.step:,}"))
        rows.append(("its generations", str(won.generations)))
    return rows


def _ancestor(span: LineageSpan, lineage: RunLineage) -> list[str]:
    values = [
        _spelled(spelled(span.hyperparams[tuned.name], tuned)) if tuned.name in span.hyperparams else "-"
        for tuned in lineage.tuned
    ]
    return [label(span), str(span.slot), f"{span.start_step:,}", span.operator, *values]


def _spelled(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _gain(value: float | None) -> str:
    return "-" if value is None else f"{'+' if value > 0 else ''}{number(value)}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _tree(lineage: RunLineage) -> Tree:
    tree = Tree("tree of the living", guide_style="dim")
    for place, line in enumerate(lines_of_living(lineage)):
        _grow(tree, line, COLOURS[place % len(COLOURS)])
    return tree


def _grow(tree: Tree, line: Line, colour: str) -> None:
    *ancestors, last = line.spans
    path = "".join(f"{label(span)} → " for span in ancestors)
    since = f"  from step {line.spans[0].start_step:,}"
    branch = tree.add(Text.from_markup(f"[dim]{escape(path)}[/][bold {colour}]{escape(label(last))}[/][dim]{since}[/]"))
    for inner in line.branches:
        _grow(branch, inner, colour)
