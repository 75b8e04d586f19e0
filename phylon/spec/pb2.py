"""Population Based Bandits: methods that choose hyper-parameters by a model of what earlier intervals gained.

Selection is PBT's. `pb2` tunes numbers; the other three tune categories (`choice`) as well, with or without numbers.
"""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.selection import TruncationSelection


class OptimismSpec(Model):
    """The upper confidence bound: mean + sqrt(max(0, scale x ln(growth x observations))) x deviation."""

    scale: Annotated[float, Field(strict=True, ge=0, le=100)] = 0.2
    growth: Annotated[float, Field(strict=True, gt=0, le=100)] = 0.4


class BanditSpec(Model):
    """TV.EXP3.M, which draws categories. A number that is left out follows from population, categories and budget."""

    exploration: Annotated[float, Field(strict=True, gt=0, le=0.9)] | None = None
    """Share of uniform draws, and the pace at which weights change.

    Left out: 0.2, or with fewer members B than categories C, sqrt(C ln(C/B) / ((e-1) B T/10)) for T intervals.
    """
    sharing: Annotated[float, Field(strict=True, ge=0, le=0.5)] | None = None
    """Share of all weight that is spread evenly at each interval, so that a category can come back.

    Left out: 1 / T for T intervals.
    """


class PB2FamilySpec(Evolving):
    """What the methods of the family have in common."""

    selection: TruncationSelection = TruncationSelection(name="truncation")
    window: Annotated[int, Field(strict=True, ge=8, le=2048)] = 256
    """Latest member-intervals that the model remembers. Its cost grows with the third power of this."""
    optimism: OptimismSpec = OptimismSpec()


class PB2Spec(PB2FamilySpec):
    """PB2 (Parker-Holder et al. 2020): numbers by a time-varying Gaussian process bandit."""

    name: Literal["pb2"]


class PB2RandSpec(PB2FamilySpec):
    """Categories uniformly at random, numbers as PB2 does, blind to categories. The baseline of the two below."""

    name: Literal["pb2_rand"]


class PB2MultSpec(PB2FamilySpec):
    """PB2-Mult (Parker-Holder et al. 2021): categories by bandit, numbers by a model of the chosen category alone."""

    name: Literal["pb2_mult"]
    bandit: BanditSpec = BanditSpec()


class PB2MixSpec(PB2FamilySpec):
    """PB2-Mix (Parker-Holder et al. 2021): categories by bandit, numbers by one model of numbers and categories."""

    name: Literal["pb2_mix"]
    bandit: BanditSpec = BanditSpec()
