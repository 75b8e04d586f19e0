"""Population methods: who is copied, who is replaced, and how hyper-parameters move."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field

from phylon.spec.distributions import Finite, Model
from phylon.spec.explore import ExploreSpec, PerturbExplore
from phylon.spec.fitness import FitnessSpec, LastFitness
from phylon.spec.selection import SelectionSpec, TruncationSelection


class CopySpec(Model):
    """What a replaced member takes over."""

    what: Literal["agent", "policy"] = "agent"
    """`agent`: weights, optimisers, running statistics. `policy`: the policy with its target and optimiser alone; the
    replaced member keeps its critics (fastpbrl)."""
    hyperparams: bool = True
    """Whether exploration starts from the parent's values, or from the replaced member's own (EVO)."""
    replay: bool = False
    """Whether the parent's experience is copied, too."""


class Evolving(Model):
    """What all methods that select have in common."""

    interval: Annotated[int, Field(strict=True, ge=1)]
    """How much of a member's training lies between two selections."""
    unit: Literal["steps", "updates"] = "steps"
    """What `interval` and `burn_in` count: environment steps of a member, or its gradient updates."""
    burn_in: Annotated[int, Field(strict=True, ge=0)] = 0
    """No selection before this."""
    fitness: FitnessSpec = LastFitness(name="last")


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


MethodSpec = Annotated[PBTSpec | NoOpSpec | IndependentSpec | RandomSearchSpec, Discriminator("name")]


class PopulationSpec(Model):
    size: Annotated[int, Field(strict=True, ge=1, le=4096)]
    method: MethodSpec
    founders: dict[str, Annotated[tuple[Finite, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Values that the founders begin with instead of draws, by hyper-parameter, one a member."""
