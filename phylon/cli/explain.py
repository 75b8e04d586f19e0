"""`phylon explain`: what hyper-parameters did, and how much of selection was luck."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import print_json, print_table, say
from phylon.cli.experiments import UrlOption
from phylon.cli.lineage import RUN
from phylon.client import Client
from phylon.contract.explanations import (
    DrawnUnit,
    Explanation,
    HyperparameterExplanation,
    SelectionNoise,
    ValueLevel,
)
from phylon.contract.groups import Estimate
from phylon.contract.lineage import Tuned


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help=RUN)],
    json: Annotated[bool, typer.Option("--json", help="All of it, with every span, for a script.")] = False,
    url: UrlOption = None,
) -> None:
    """Explain a run: which hyper-parameters matter, which lie at a bound, and how much of selection was luck.

    Of several runs together, the Compare page and `phylon.Client.pooled_explanation` say the same.

    Example: `phylon explain 3`
    """
    found = _load(run, url)
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        _show(found)


def _load(run: str, url: str | None) -> Explanation:
    if run.isdecimal():
        with Client(url) as client:
            return client.explanation(int(run))
    # Here, because they load numpy, which other commands need not wait for.
    from phylon.cli.findings import of_folder, spec_of
    from phylon.explain.explanation import METRICS, ExplainedRun, donors_of
    from phylon.explain.explanation import explain as explain_runs

    found = of_folder(Path(run))
    series = {name: each for name, each in found.series() if name in METRICS}
    return explain_runs([ExplainedRun(None, found.lineage, series, donors_of(spec_of(Path(run))))])


def _show(found: Explanation) -> None:
    if not found.hyperparams:
        say("nothing is tuned: every hyper-parameter of this run is fixed")
    else:
        print_table(
            ["hyper-parameter", "importance", "95 % interval", "progress by value", "at low bound", "at high bound"],
            [_row(each) for each in found.hyperparams],
            right=["importance", "95 % interval", "at low bound", "at high bound"],
        )
        say(_sureness(found))
    for each in found.hyperparams:
        if each.bound is not None:
            share = each.at_low if each.bound == "low" else each.at_high
            say(
                f"note: [bold]{escape(each.tuned.name)}[/] was at its {each.bound.value} bound for {share:.0%} of all "
                "steps; better values may lie beyond it"
            )
    say(escape(describe_noise(found.noise)))


def _row(each: HyperparameterExplanation) -> list[str]:
    levels = ", ".join(f"{_values(level, each.tuned)}: {level.progress:.2f}" for level in each.levels)
    found = each.importance
    interval = "-" if found is None or found.low is None else f"{found.low:.2f} to {found.high:.2f}"
    importance = "-" if found is None else f"{found.value:.2f}"
    return [each.tuned.name, importance, interval, levels or "-", f"{each.at_low:.0%}", f"{each.at_high:.0%}"]


def _values(level: ValueLevel, tuned: Tuned) -> str:
    if tuned.names is not None:
        return tuned.names[int(level.low)]
    return f"{level.low:.3g}" if level.low == level.high else f"{level.low:.3g}–{level.high:.3g}"


def _sureness(found: Explanation) -> str:
    if found.explained is None:
        return (
            f"importance cannot be said: {found.observed} spans have been evaluated, {found.needed} are needed"
            if found.observed < found.needed
            else "importance cannot be said: no value, or no progress, differed between spans"
        )
    unit = "runs" if found.unit is DrawnUnit.RUN else "spans"
    return (
        f"together they predict {_percent(found.explained)} of the differences in progress between {found.observed} "
        f"spans; intervals are over {unit}"
    )


def _percent(found: Estimate) -> str:
    return f"{max(0.0, found.value):.0%}"


def describe_noise(noise: SelectionNoise) -> str:
    if not noise.copies:
        return "selection noise: no member was copied"
    if not noise.known:
        return f"selection noise: unknown for all {noise.copies} copies, because a single episode has no error"
    parts = [f"a donor was truly ahead of the member that it replaced with probability {noise.ahead_again:.0%}"]
    if noise.donor_again is not None:
        by_lot = "" if noise.chance is None else f" (by lot {noise.chance:.0%})"
        parts.append(f"would be among the donors again in {noise.donor_again:.0%} of the cases{by_lot}")
    return f"selection noise: {' and '.join(parts)}, the mean over {noise.known} of {noise.copies} copies"
