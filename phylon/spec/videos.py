"""Films of members, to see what a number means."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model

Slot = Annotated[int, Field(strict=True, ge=0)]


class VideosSpec(Model):
    """At an evaluation each chosen member is filmed in its first episode. Training is the same with and without it."""

    interval: Annotated[int, Field(strict=True, ge=1)]
    """Environment steps between two films of a member; the end of the budget is always filmed."""
    members: Literal["best", "all"] | Annotated[tuple[Slot, ...], Field(min_length=1)] = "best"
    """Who: the best of that evaluation, everyone, or a list of slots."""
    steps: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 200
    """Where a longer episode is cut."""
    every: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    """One frame for so many steps. A film runs at the environment's own speed whatever this is."""
    width: Annotated[int, Field(strict=True, ge=64, le=1920)] = 320
    """Of the film in pixels, an even number; its height follows from what the environment draws."""
