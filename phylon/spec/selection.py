"""Who is replaced, and by whom."""

import math
from typing import Annotated, Literal

from pydantic import Discriminator, Field

from phylon.spec.distributions import Model


class TruncationSelection(Model):
    """The worst `bottom` share of the population copies members drawn uniformly from the best `top` share.

    Both are rounded up to whole members, and at most half of the population is replaced, as in Ray Tune.
    """

    name: Literal["truncation"]
    bottom: Annotated[float, Field(strict=True, gt=0, le=0.5)] = 0.25
    top: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.25


class WinnerTakesAll(Model):
    """Everyone copies the best member (EVO)."""

    name: Literal["winner_takes_all"]


class TTestSelection(Model):
    """Each member looks at another one, drawn uniformly, and copies it if it is better by Welch's t-test.

    Compared are the episode returns of the latest evaluation (Jaderberg et al. 2017 have 10).
    """

    name: Literal["t_test"]
    significance: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.05
    """How likely a difference as large may be by chance (two-sided)."""


class BinaryTournament(Model):
    """Each member looks at another one, drawn uniformly, and copies it if its fitness is higher."""

    name: Literal["binary_tournament"]


class NoSelection(Model):
    """Nobody is replaced. With `explorers: everyone` this is exploration alone."""

    name: Literal["none"]


EntryPoint = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class CustomSelection(Model):
    """A function of your own: the worker's entry point of this name in the group `phylon.selections`.

    Refused unless the operator of the worker allowed it (`PHYLON_ALLOW_CUSTOM=1`).
    """

    name: Literal["custom"]
    entry_point: EntryPoint


SelectionSpec = Annotated[
    TruncationSelection | WinnerTakesAll | TTestSelection | BinaryTournament | NoSelection | CustomSelection,
    Discriminator("name"),
]


def replaced_members(size: int, selection: TruncationSelection) -> int:
    """How many members truncation replaces: the share rounded up, but no more than half, as Ray Tune's quantiles."""
    return min(members_of_share(size, selection.bottom), size // 2)


def donors(size: int, selection: TruncationSelection) -> int:
    """How many members are copied from: the share rounded up, but nobody who is replaced."""
    return min(members_of_share(size, selection.top), size - replaced_members(size, selection))


def members_of_share(size: int, share: float) -> int:
    """Rounded up as written in decimals: 0.3 of 10 is 3, although the float product is a hair above it."""
    return math.ceil(size * share - 1e-9)
