"""What all methods that select and copy have in common."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model
from phylon.spec.fitness import FitnessSpec, LastFitness


class CopySpec(Model):
    """What a replaced member takes over."""

    what: Literal["agent", "policy"] = "agent"
    """`agent`: weights, optimisers, running statistics. `policy`: the policy with its target and optimiser alone; the
    replaced member keeps its critics, and SAC's its temperature."""
    hyperparams: bool = True
    """Whether exploration starts from the parent's values, or from the replaced member's own (EVO)."""
    replay: bool = False
    """Whether the parent's experience is copied, too."""


class Evolving(Model):
    """What all methods that select have in common."""

    interval: Annotated[int, Field(strict=True, ge=1)]
    """How much of a member's training lies between two selections; `90s` or `10m` means seconds."""
    unit: Literal["steps", "updates", "seconds"] = "steps"
    """What `interval` and `burn_in` count: environment steps of a member, its gradient updates, or seconds of work on
    the run. Seconds pass differently each time, so a run that selects by them cannot be repeated exactly."""
    burn_in: Annotated[int, Field(strict=True, ge=0)] = 0
    """No selection before this."""
    fitness: FitnessSpec = LastFitness(name="last")
