"""A comparison as a table, for people and for papers: the same rows on the page, over REST and on the command line."""

import csv
import io
from collections.abc import Callable
from typing import Literal, NamedTuple

from phylon.contract.comparisons import Arm, ArmPair, Comparison
from phylon.contract.groups import Estimate

TableFormat = Literal["csv", "latex"]


class Row(NamedTuple):
    arm: Arm
    score: Estimate | None
    """By the statistic of the comparison."""
    pair: ArmPair | None
    """Against the baseline; none of the baseline itself, and where there is nothing to compare."""


def rows_of(comparison: Comparison) -> list[Row]:
    pairs = {pair.first: pair for pair in comparison.pairs}
    return [
        Row(arm, getattr(arm, comparison.statistic.value), pairs.get(arm.key))  # the fields are named as the statistics
        for arm in comparison.arms
    ]


def to_csv(comparison: Comparison) -> str:
    """Numbers with all their digits; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = ["arm", "replicates", comparison.statistic.value, "low", "high"]
    writer.writerow([*columns, "difference", "difference_low", "difference_high", *_IMPROVEMENT, "baseline"])
    names = {arm.key: arm.name for arm in comparison.arms}
    for arm, score, pair in rows_of(comparison):
        compared = _numbers(pair.difference if pair else None) + _numbers(pair.improvement if pair else None)
        baseline = names[pair.second] if pair else ""
        writer.writerow([arm.name, len(arm.replicates), *_numbers(score), *compared, baseline])
    return text.getvalue()


_IMPROVEMENT = ("probability_of_improvement", "probability_low", "probability_high")


def _numbers(estimate: Estimate | None) -> list[str]:
    values = (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)
    return ["" if value is None else repr(value) for value in values]


def to_latex(comparison: Comparison) -> str:
    """A `tabular` for booktabs, with intervals in brackets."""
    names = {arm.key: arm.name for arm in comparison.arms}
    baseline = _escape(names.get(comparison.baseline or "", ""))
    lines = [
        f"% {_title(comparison)}; 95 % stratified-bootstrap intervals in brackets",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        rf"Arm & $n$ & {_escape(STATISTIC_NAMES[comparison.statistic.value])} & Difference to {baseline} & "
        r"$P(\text{improvement})$ \\",
        r"\midrule",
    ]
    for arm, score, pair in rows_of(comparison):
        cells = [
            _escape(arm.name),
            str(len(arm.replicates)),
            _cell(score),
            _cell(pair.difference if pair else None),
            _cell(pair.improvement if pair else None),
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


STATISTIC_NAMES = {"mean": "Mean", "median": "Median", "iqm": "IQM"}


def _title(comparison: Comparison) -> str:
    tasks = ", ".join(comparison.tasks) or "no common task"
    where = "final returns" if comparison.at is None else f"at {comparison.axis.value} {comparison.at:g}"
    return f"{comparison.metric} on {tasks}, {where}"


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:
        return "--"
    interval = "" if estimate.low is None else f" [{number(estimate.low)}, {number(estimate.high)}]"
    return f"${number(estimate.value)}${interval.replace('-', '$-$')}"


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _escape(text: str) -> str:
    return "".join(f"\\{character}" if character in "&%$#_{}" else character for character in text)


TABLES: dict[TableFormat, Callable[[Comparison], str]] = {"csv": to_csv, "latex": to_latex}
