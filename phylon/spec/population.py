"""Population methods: who is copied, who is replaced, and how hyper-parameters move."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field

from phylon.spec.distributions import Model
from phylon.spec.pb2 import PB2FamilySpec, PB2MixSpec, PB2MultSpec, PB2RandSpec, PB2Spec
from phylon.spec.selection import TruncationSelection

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


MethodSpec = Annotated[
    PBTSpec | PB2Spec | PB2RandSpec | PB2MultSpec | PB2MixSpec | IndependentSpec, Discriminator("name")
]
SelectingSpec = PBTSpec | PB2FamilySpec
"""Methods that replace members at intervals."""


class PopulationSpec(Model):
    size: Annotated[int, Field(strict=True, ge=1, le=4096)]
    method: MethodSpec
