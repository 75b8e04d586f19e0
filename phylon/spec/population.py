"""How many members there are, and which method they evolve by."""

from typing import Annotated

from pydantic import Field

from phylon.spec.distributions import Finite, Model
from phylon.spec.methods.union import MethodSpec
from phylon.spec.start import StartSource


class PopulationSpec(Model):
    size: Annotated[int, Field(strict=True, ge=1, le=4096)]
    method: MethodSpec
    founders: dict[str, Annotated[tuple[Finite, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Values that the founders begin with instead of draws, by hyper-parameter: one value per member."""
    start: Annotated[tuple[StartSource, ...], Field(max_length=4096)] = ()
    """Where the founders' weights come from. Left out, they are drawn."""
