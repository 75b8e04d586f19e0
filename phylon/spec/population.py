"""Population methods: who is copied, who is replaced, and how hyper-parameters move."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field

from phylon.spec.distributions import Model


class TruncationSelection(Model):
    """The worst `bottom` share of the population copies members drawn uniformly from the best `top` share."""

    name: Literal["truncation"]
    bottom: Annotated[float, Field(strict=True, gt=0, le=0.5)] = 0.25
    top: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.25


Factor = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]


class PerturbExplore(Model):
    """Multiply each inherited value by one of `factors`; with probability `resample` draw it from its prior instead."""

    name: Literal["perturb"]
    factors: tuple[Factor, Factor] = (0.8, 1.2)
    resample: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.25


class ResampleExplore(Model):
    """Draw every value of a replaced member from its prior; nothing is inherited."""

    name: Literal["resample"]


ExploreSpec = Annotated[PerturbExplore | ResampleExplore, Discriminator("name")]


class PBTSpec(Model):
    """Population Based Training (Jaderberg et al. 2017), synchronous."""

    name: Literal["pbt"]
    interval: Annotated[int, Field(strict=True, ge=1)]
    """Environment steps of a member between two selections."""
    burn_in: Annotated[int, Field(strict=True, ge=0)] = 0
    """No selection before this environment step."""
    selection: TruncationSelection = TruncationSelection(name="truncation")
    explore: ExploreSpec = PerturbExplore(name="perturb")


class IndependentSpec(Model):
    """Members that know nothing of each other: as many seeds, or draws of hyper-parameters, in one program."""

    name: Literal["independent"]


MethodSpec = Annotated[PBTSpec | IndependentSpec, Discriminator("name")]


class PopulationSpec(Model):
    size: Annotated[int, Field(strict=True, ge=1, le=4096)]
    method: MethodSpec


def replaced_members(size: int, selection: TruncationSelection) -> int:
    """How many members truncation replaces: the rounded-down share, as in Ray Tune's quantile fraction."""
    return _share(size, selection.bottom)


def donors(size: int, selection: TruncationSelection) -> int:
    return max(1, _share(size, selection.top))


def _share(size: int, share: float) -> int:
    """Rounded down as written in decimals: 0.29 of 100 is 29, although the float product is a hair below it."""
    return int(size * share + 1e-9)
