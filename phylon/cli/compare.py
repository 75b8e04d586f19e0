"""`phylon compare`: what is better, by how much, and how sure."""

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer
from rich.markup import escape

from phylon.cli.console import number, out, print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.client import Client
from phylon.compared import STATISTIC_NAMES, rows_of, to_csv, to_latex
from phylon.comparisons_client import RETURN
from phylon.contract.comparisons import Comparison, CurveAxis, StatisticName
from phylon.contract.groups import Estimate


class Output(StrEnum):
    TABLE = "table"
    CSV = "csv"
    LATEX = "latex"
    JSON = "json"


class Numbers(NamedTuple):
    experiments: list[int]
    groups: list[int]


def compare(
    arms: Annotated[
        list[str], typer.Argument(metavar="ARM...", help="Numbers of experiments, and groups such as group-2.")
    ],
    format: Annotated[
        Output, typer.Option("--format", help="For people, for a paper, or for a script.")
    ] = Output.TABLE,
    metric: Annotated[str, typer.Option(help="What is compared.")] = RETURN,
    axis: Annotated[CurveAxis, typer.Option(help="What --at counts.")] = CurveAxis.STEPS,
    at: Annotated[
        float | None, typer.Option(min=0, help="Compare there, on the curves. Default: returns after training.")
    ] = None,
    statistic: Annotated[
        StatisticName | None,
        typer.Option(help="Default: the mean of one task, the interquartile mean (iqm) of several."),
    ] = None,
    task: Annotated[str | None, typer.Option(help="Of this environment alone.")] = None,
    target: Annotated[float | None, typer.Option(help="A return: how far scores stay below it.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Arm that the others are compared with, as ARM. Default: the first.")
    ] = None,
    url: UrlOption = None,
) -> None:
    """Compare experiments and groups: scores, differences and their 95 % intervals, and a verdict.

    A group of arms (methods or settings of one task) stands for all its experiments; a group of tasks is one arm.

    Example: `phylon compare 3 5 --format latex`
    """
    experiments, groups = _numbers(arms)
    with Client(url) as client:
        found = client.compare(
            experiments, groups, metric, axis, statistic, task, at, target, baseline and _key(baseline)
        )
    match format:
        case Output.TABLE:
            _show(found)
        case Output.JSON:
            print_json(found.model_dump(mode="json"))
        case Output.CSV:
            out.print(to_csv(found), markup=False, highlight=False, soft_wrap=True, end="")
        case Output.LATEX:
            out.print(to_latex(found), markup=False, highlight=False, soft_wrap=True, end="")


def _numbers(arms: list[str]) -> Numbers:
    found = Numbers([], [])
    for key in map(_key, arms):
        kind, _, number = key.partition("-")
        (found.groups if kind == "group" else found.experiments).append(int(number))
    return found


def _key(arm: str) -> str:
    kind, _, digits = arm.rpartition("-")
    if kind not in ("", "experiment", "group") or not digits.isdecimal():
        raise BadInput(f"'{arm}' is no arm; name experiments by number (3) and groups as group-2")
    return f"{kind or 'experiment'}-{digits}"


def _show(comparison: Comparison) -> None:
    say(f"[bold]{escape(comparison.verdict.headline)}[/]")
    names = {arm.key: arm.name for arm in comparison.arms}
    statistic = STATISTIC_NAMES[comparison.statistic.value]
    against = f"difference to {names.get(comparison.baseline or '', '-')}"
    columns = ["arm", "name", "replicates", statistic, against, "P(improvement)"]
    rows = [
        [
            arm.key,
            arm.name,
            str(len(arm.replicates)),
            _cell(score),
            _cell(pair.difference if pair else None),
            _cell(pair.improvement if pair else None),
        ]
        for arm, score, pair in rows_of(comparison)
    ]
    print_table(columns, rows, right=columns[2:])
    for caveat in comparison.verdict.caveats:
        say(f"note: {escape(caveat.text)}")
    for each in comparison.config:
        values = ", ".join(f"{arm.name} {value}" for arm, value in zip(comparison.arms, each.values, strict=True))
        say(f"differs: [bold]{escape(each.path)}[/]: {escape(values)}")


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return number(estimate.value)
    return f"{number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"
