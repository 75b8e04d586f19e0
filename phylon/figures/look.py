"""The style of our figures: one font size, light axes, colours that colour-blind readers can distinguish."""

# Matplotlib leaves its keyword arguments untyped, so all of its methods are known in part only.
# pyright: reportUnknownMemberType=false

from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, QUIET = "#1f2933", "#9aa5b1"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#6a3d9a", "#4d4d4d")
"""Mostly of Okabe and Ito (2008)."""
DASHES = ("-", "--", ":", "-.")
"""Where there are more lines than colours."""
DOTS_PER_INCH = 160


def colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def dashes(place: int) -> str:
    return DASHES[place // len(COLOURS) % len(DASHES)]


def tidy(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(QUIET)
    axes.tick_params(colors=INK, labelsize=8, color=QUIET)
    axes.xaxis.label.set(color=INK, fontsize=9)
    axes.yaxis.label.set(color=INK, fontsize=9)


def as_png(figure: Figure) -> bytes:
    """Needs no display: a figure without a window is rendered by Agg."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH, facecolor="white", metadata={"Software": None})
    return file.getvalue()
