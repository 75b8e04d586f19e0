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
    """Gradient updates of a member between two resets; SR-SAC has 2,560,000."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)] | None = None
    """What is reset; unless said, all that the algorithm has. `optimisers` are always reset as a whole."""
    layers: Literal["all", "last"] = "all"
    """`last`: only the layers from which outputs come; those before them are kept."""
    keep: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of the old weights that is kept: keep * old + (1 - keep) * fresh. Above 0 it is shrink and perturb."""
