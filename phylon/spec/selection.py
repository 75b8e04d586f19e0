"""Selection: which members are replaced, and whom they copy."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model


class TruncationSelection(Model):
    """The worst `bottom` share of the population copies members drawn uniformly from the best `top` share."""

    name: Literal["truncation"]
    bottom: Annotated[float, Field(strict=True, gt=0, le=0.5)] = 0.25
    top: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.25


def replaced_members(size: int, selection: TruncationSelection) -> int:
    """How many members truncation replaces: the rounded-down share, as in Ray Tune's quantile fraction."""
    return _share(size, selection.bottom)


def donors(size: int, selection: TruncationSelection) -> int:
    return max(1, _share(size, selection.top))


def _share(size: int, share: float) -> int:
    """Rounded down as written in decimals: 0.29 of 100 is 29, although the float product is a hair below it."""
    return int(size * share + 1e-9)
