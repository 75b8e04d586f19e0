"""How learning rates fall over a run."""

from typing import Annotated, Any, Literal

from pydantic import Field

from phylon.spec.distributions import Model

DecayShape = Literal["none", "linear", "cosine"]


class DecaySpec(Model):
    """Every learning rate is multiplied by a factor that falls from 1 at the run's first update to `end`.

    The hyper-parameter is the rate at the start: a method that changes it during a run changes it for all updates to
    come, by the same factors.
    """

    shape: DecayShape = "none"
    """`linear`: in a straight line. `cosine`: along half a wave, slowly at both ends."""
    end: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The factor at the end of `budget.env_steps`; a run that another limit ends does not come so far."""


def decay_of(algorithm: Any) -> DecaySpec:
    """Algorithms without the field keep their rates."""
    return getattr(algorithm, "learning_rate_decay", None) or DecaySpec()
