"""The PBT paper's Figure 2 (Jaderberg et al. 2017): the members' theta above, its score Q below."""

# Matplotlib leaves its keyword arguments untyped, so all of its methods are known in part only.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from phylon.figures.look import INK, QUIET, as_png, colour, tidy
from phylon.figures.runs import DrawnExperiment, DrawnRun
from phylon.toys import START, TOP, figure2_score

THETA = ("training/theta_0", "training/theta_1")
LEVELS = np.arange(-0.8, 1.21, 0.2)
GROUND = LinearSegmentedColormap.from_list("ground", ["#c3cedb", "#ffffff"])


class Path(NamedTuple):
    """The thetas of a member in one span of its lineage."""

    slot: int
    before: NDArray[np.float64] | None
    """[2]: the slot's theta until it copied that of another; None where it kept its own."""
    points: NDArray[np.float64]
    """[points, 2]"""


def figure2(experiments: Sequence[DrawnExperiment]) -> bytes | None:
    """One column per experiment whose runs have a theta, of its first run; None where none has."""
    drawn = [(each.name, run) for each in experiments for run in each.runs[:1] if set(THETA) <= run.series.keys()]
    if not drawn:
        return None
    figure = Figure(figsize=(0.6 + 2.9 * len(drawn), 5.9), layout="constrained")
    rows = figure.subplots(2, len(drawn), sharex="row", sharey="row", squeeze=False, height_ratios=(1.15, 1))
    for column, (name, run) in enumerate(drawn):
        above, below = rows[0, column], rows[1, column]
        above.set_title(name, color=INK, fontsize=11, fontweight="bold")
        _draw_paths(above, run)
        _draw_scores(below, run)
        if column == 0:
            above.set_ylabel("theta 1")
            below.set_ylabel("Q")
    members = max(run.lineage.population_size for _, run in drawn)
    figure.legend(handles=_legend(members), loc="outside lower center", ncols=members + 4, frameon=False, fontsize=9)
    return as_png(figure)


def find_paths(run: DrawnRun) -> Iterator[Path]:
    """By lineage, so that a copied theta does not look like a step."""
    steps = run.series[THETA[0]].steps
    places = np.stack([run.series[name].values for name in THETA], axis=-1)  # [ticks, members, 2]
    slot_of = {span.id: span.slot for span in run.lineage.spans}

    def place_at(step: int, slot: int) -> NDArray[np.float64]:
        """At the end of a step, before any copies."""
        tick = int(np.searchsorted(steps, step, side="right")) - 1
        return np.full(2, START) if tick < 0 else places[tick, slot]

    for span in run.lineage.spans:
        end = run.lineage.end_step if span.end_step is None else span.end_step
        parent = span.slot if span.parent is None else slot_of[span.parent]
        own = places[(steps > span.start_step) & (steps <= end), span.slot]
        path = np.vstack([place_at(span.start_step, parent), own])
        before = None if parent == span.slot else place_at(span.start_step, span.slot)
        yield Path(span.slot, before, path)


def _draw_paths(axes: Axes, run: DrawnRun) -> None:
    grid = np.linspace(-0.06, 1.0, 200)
    score = figure2_score(np.stack(np.meshgrid(grid, grid), axis=-1))
    axes.contourf(grid, grid, score, levels=LEVELS, cmap=GROUND, extend="both")
    ends: dict[int, NDArray[np.float64]] = {}
    for slot, before, path in find_paths(run):
        if before is not None:
            axes.plot(*zip(before, path[0], strict=True), color=colour(slot), linewidth=0.8, linestyle=":")
        axes.plot(path[:, 0], path[:, 1], color=colour(slot), linewidth=_width(slot))
        ends[slot] = path[-1]
    for slot, end in ends.items():
        axes.plot(*end, marker="o", markersize=6, color=colour(slot), markeredgecolor="white", zorder=4)
    axes.plot(START, START, marker="s", markersize=6, color=INK, markeredgecolor="white", zorder=4)
    axes.plot(0, 0, marker="*", markersize=11, color="white", markeredgecolor=INK, markeredgewidth=0.8, zorder=3)
    axes.set(xlabel="theta 0", xlim=(-0.06, 1.0), ylim=(-0.06, 1.0), aspect="equal")
    tidy(axes)


def _draw_scores(axes: Axes, run: DrawnRun) -> None:
    theta = np.stack([run.series[name].values for name in THETA], axis=-1)
    steps = np.concatenate([[0], run.series[THETA[0]].steps])
    scores = figure2_score(np.concatenate([np.full((1, *theta.shape[1:]), START), theta]))
    axes.axhline(float(TOP), color=QUIET, linestyle="--", linewidth=1)
    for slot in range(scores.shape[1]):
        axes.plot(steps, scores[:, slot], color=colour(slot), linewidth=_width(slot))
    best = f"best {scores[-1].max():.3f}"
    axes.text(0.97, 0.05, best, transform=axes.transAxes, ha="right", fontsize=10, fontweight="bold", color=INK)
    axes.set(xlabel="steps", ylim=(-0.5, 1.32))
    tidy(axes)


def _width(slot: int) -> float:
    """The first member's line is the widest, so that it is visible below another on the same path."""
    return max(1.2, 2.8 - 1.4 * slot)


def _legend(members: int) -> list[Line2D]:
    start = Line2D([], [], color=INK, marker="s", markersize=7, markeredgecolor="white", linestyle="none")
    top = Line2D([], [], color="white", marker="*", markersize=11, markeredgecolor=INK, linestyle="none")
    best = Line2D([], [], color=QUIET, linestyle="--", linewidth=1)
    copied = Line2D([], [], color=INK, linestyle=":", linewidth=0.8)
    handles = {f"member {slot}": Line2D([], [], color=colour(slot), linewidth=_width(slot)) for slot in range(members)}
    handles |= {"copies another's theta": copied, "start": start, "top": top, "Q = 1.2, the maximum": best}
    for label, handle in handles.items():
        handle.set_label(label)
    return list(handles.values())
