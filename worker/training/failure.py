"""Failures that trying again would not mend: told to the user as an event that names the member and what to change.

EngineError
└── MemberFailed             one member is to blame
    ├── TrainingDiverged     a loss is no longer a number
    └── MutationNotProven    a copy or a changed hyper-parameter did not arrive (see `proof`)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Hyperparams
from phylon.worker.core.errors import EngineError
from phylon.worker.training.lineage import HostHyperparams, values_of


class MemberFailed(EngineError):
    def __init__(self, message: str, remedy: str, member: int, hyperparams: Hyperparams) -> None:
        super().__init__(message, remedy)
        self.member = member
        self.hyperparams = hyperparams


class TrainingDiverged(MemberFailed):
    pass


class MutationNotProven(MemberFailed):
    pass


def check_losses(metrics: Mapping[str, NDArray[np.float32]], hyperparams: HostHyperparams, step: int) -> None:
    """Raise for the first member with a metric that is not finite."""
    for name, values in metrics.items():
        broken = np.flatnonzero(~np.isfinite(values))
        if broken.size:
            member = int(broken[0])
            own = values_of(member, hyperparams)
            spelt = ", ".join(f"{key} {value:.3g}" for key, value in own.items())
            raise TrainingDiverged(
                f"{name} of member {member} became {values[member]} before step {step}, with {spelt}",
                "lower the learning rates (or the upper bounds of their distributions), or the scale of the rewards",
                member,
                own,
            )


def failure_fields(error: EngineError) -> dict[str, Any]:
    """What a `failed` event says of the error."""
    is_members = isinstance(error, MemberFailed)
    return {
        "message": error.message,
        "remedy": error.remedy,
        "member": error.member if is_members else None,
        "hyperparams": error.hyperparams if is_members else None,
    }
