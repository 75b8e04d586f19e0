"""How long a run may last: whichever of these limits comes first ends it."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from phylon.spec.distributions import Finite, Model
from phylon.spec.draft import LARGEST
from phylon.spec.quantities import read_duration


class PlateauSpec(Model):
    """The run ends when the best member's return has stopped rising."""

    evaluations: Annotated[int, Field(strict=True, ge=1)]
    """So many in a row without a rise. Those before the first update do not count."""
    improvement: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] = 0.0
    """A rise is more than this above the return at the last rise."""


class BudgetSpec(Model):
    env_steps: Annotated[int, Field(strict=True, ge=1, le=LARGEST)]
    """Environment steps of each member, warm-up included. Intervals that are left out follow from it, so it is needed
    beside other limits, too."""
    seconds: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False), BeforeValidator(read_duration)] | None = (
        None
    )
    """Wall-clock time of all work on the run: training, evaluation, compilation, over all attempts, without the time
    between them. The run ends at the next segment border."""
    target_return: Finite | None = None
    """The run ends when the best member reaches it: the mean over the episodes of one evaluation."""
    plateau: PlateauSpec | None = None
