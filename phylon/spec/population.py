"""Population methods: who is copied, who is replaced, and how hyper-parameters move."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field

from phylon.spec.cem_rl import CEMRLSpec
from phylon.spec.distributions import Finite, Model
from phylon.spec.dvd import DvDSpec
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.explore import ExploreSpec, PerturbExplore
from phylon.spec.mf_pbt import MFPBTSpec
from phylon.spec.pb2 import PB2MixSpec, PB2MultSpec, PB2RandSpec, PB2Spec
from phylon.spec.schedule_method import ScheduleSpec
from phylon.spec.selection import SelectionSpec, TruncationSelection


class PBTSpec(Evolving):
    """Population Based Training (Jaderberg et al. 2017), synchronous."""

    name: Literal["pbt"]
    selection: SelectionSpec = TruncationSelection(name="truncation")
    explore: ExploreSpec = PerturbExplore(name="perturb")
    operators: dict[str, ExploreSpec] = Field(default_factory=dict)
    """Another way of exploring for some hyper-parameters, by name."""
    explorers: Literal["children", "everyone"] = "children"
    """Whose hyper-parameters move: those of replaced members, or everyone's (EVO)."""
    copying: CopySpec = CopySpec()


class NoOpSpec(Evolving):
    """A control: members are copied, and no hyper-parameter is changed. How much is selection alone worth?"""

    name: Literal["no_op"]
    selection: SelectionSpec = TruncationSelection(name="truncation")
    copying: CopySpec = CopySpec()


class IndependentSpec(Model):
    """Members that know nothing of each other: as many seeds in one program."""

    name: Literal["independent"]


class RandomSearchSpec(Model):
    """A control: each member keeps the hyper-parameters that it drew, and nobody is copied."""

    name: Literal["random_search"]


MethodSpec = Annotated[
    PBTSpec
    | MFPBTSpec
    | PB2Spec
    | PB2RandSpec
    | PB2MultSpec
    | PB2MixSpec
    | CEMRLSpec
    | DvDSpec
    | NoOpSpec
    | IndependentSpec
    | RandomSearchSpec
    | ScheduleSpec,
    Discriminator("name"),
]


class PopulationSpec(Model):
    size: Annotated[int, Field(strict=True, ge=1, le=4096)]
    method: MethodSpec
    founders: dict[str, Annotated[tuple[Finite, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Values that the founders begin with instead of draws, by hyper-parameter, one a member."""
