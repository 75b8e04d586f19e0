"""The experiments of a group in one chart: the best member's return against environment steps."""

# Matplotlib leaves its keyword arguments untyped, so all of its methods are known in part only.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from phylon.figures.look import INK, as_png, colour, dashes, tidy
from phylon.figures.runs import Curve, DrawnExperiment, best_curve

LEGEND_ROWS = 24


def comparison(title: str, experiments: Sequence[DrawnExperiment]) -> bytes | None:
    """One line per experiment, the mean of its runs, with a band from the worst to the best of them.

    None where there is no evaluation yet.
    """
    curves = {experiment.name: curve for experiment in experiments if (curve := best_curve(experiment))}
    if not curves:
        return None
    columns = -(-len(curves) // LEGEND_ROWS)
    figure = Figure(figsize=(7.2 + 1.2 * columns, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, (steps, values)) in enumerate(curves.items()):
        marker = "o" if len(steps) == 1 else ""  # a line of one point would be invisible
        ink, line = colour(place), dashes(place)
        axes.plot(steps, values.mean(axis=0), label=name, color=ink, linestyle=line, linewidth=1.8, marker=marker)
        if len(values) > 1:
            axes.fill_between(steps, values.min(axis=0), values.max(axis=0), color=ink, alpha=0.15, linewidth=0)
    axes.set(xlabel="environment steps per member", ylabel="return of the best member")
    axes.set_title(title, loc="left", color=INK, fontsize=11, fontweight="bold")
    axes.margins(x=0.01)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    tidy(axes)
    handles = dict(zip(curves, axes.get_lines(), strict=True))
    ranked = sorted(curves, key=lambda name: _end(curves[name]), reverse=True)  # as the lines end, from top to bottom
    figure.legend(
        handles=[handles[name] for name in ranked],
        loc="outside right upper",
        ncols=columns,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
    )
    return as_png(figure)


def _end(curve: Curve) -> float:
    return float(np.nan_to_num(curve.values[:, -1].mean(), nan=-np.inf)) if len(curve.steps) else -np.inf
