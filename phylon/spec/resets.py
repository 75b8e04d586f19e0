"""Periodic resets: weights are renewed while the replay is kept, so that a high replay ratio does not wear them out.

Nikishin et al. 2022 (arXiv 2205.07802); D'Oro et al. 2023 (SR-SAC); shrink and perturb: Ash & Adams 2020.
"""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model

Part = Literal["actor", "critic", "temperature", "optimisers"]


class ResetsSpec(Model):
    """Each reset draws fresh weights from a key of its own. Target networks become copies of the renewed ones."""

    interval: Annotated[int, Field(strict=True, ge=1)]
    """Gradient updates of a member between two resets."""
    first: Annotated[int, Field(strict=True, ge=1)]
    """Updates before the first one. Left out, it is `interval`."""
    recovery: Annotated[int, Field(strict=True, ge=0)]
    """A reset is not made if fewer updates than this remain of the budget's. Left out, it is half of
    `interval`: the resets of SR-SAC's own schedules leave more than that, and its result is not that of members that
    have just restarted."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)] | None = None
    """What is reset; unless said, all that the algorithm has. `optimisers` are always reset as a whole."""
    layers: Literal["all", "last"] = "all"
    """`last`: only the layers from which outputs come; those before them are kept."""
    keep: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of the old weights that is kept: keep * old + (1 - keep) * fresh. Above 0 it is shrink and perturb."""


def is_reset_due(resets: ResetsSpec, before: int, now: int, total: int) -> bool:
    """Whether one is due between two numbers of updates, in a run of `total` updates."""
    return _count(resets, now) > _count(resets, before) and total - now >= resets.recovery


def _count(resets: ResetsSpec, updates: int) -> int:
    return max(0, 1 + (updates - resets.first) // resets.interval)
