"""Checks that fail a run: copies or mutations that did not reach training, and donors that have nothing to give.

EngineError
└── MemberFailed             one member is the cause
    ├── TrainingDiverged     it diverged, and nobody is left (see `divergence`)
    └── MutationNotProven    a copy or a changed hyper-parameter did not arrive

Trying again would not help, so the failure is reported as an event that names the member and what to change.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Hyperparams
from phylon.worker.core.errors import EngineError
from phylon.worker.training.lineage import HostHyperparams, format_weights, values_of

OUR_DEFECT = "this is a defect of Phylon, not of the experiment: please report it with the run's log and spec"


class MemberFailed(EngineError):
    def __init__(self, message: str, remedy: str, member: int, hyperparams: Hyperparams) -> None:
        super().__init__(message, remedy)
        self.member = member
        self.hyperparams = hyperparams


class TrainingDiverged(MemberFailed):
    pass


class MutationNotProven(MemberFailed):
    pass


def check_donors(parents: NDArray[np.int32], diverged: NDArray[np.bool_], hyperparams: HostHyperparams) -> None:
    """No slot goes on with the weights of another member that is set aside."""
    wrong = np.flatnonzero(diverged[parents] & (parents != np.arange(len(parents))))
    if wrong.size:
        slot = int(wrong[0])
        raise MutationNotProven(
            f"slot {slot} was to go on with the weights of member {parents[slot]}, which diverged and is set aside",
            "correct the method or selection that chose it: a member whose fitness is NaN must not be a donor",
            slot,
            values_of(slot, hyperparams),
        )


def check_copies(
    before: NDArray[np.uint32], after: NDArray[np.uint32], parents: NDArray[np.int32], hyperparams: HostHyperparams
) -> None:
    """Proof of copies: every slot holds the weights of its parent, by checksums [P, 2] taken around the gather."""
    wrong = np.flatnonzero((after != before[parents]).any(axis=1))
    if wrong.size:
        slot = int(wrong[0])
        raise MutationNotProven(
            f"slot {slot} should hold the weights of slot {parents[slot]} ({format_weights(before[parents[slot]])}), "
            f"but holds others ({format_weights(after[slot])})",
            OUR_DEFECT,
            slot,
            values_of(slot, hyperparams),
        )


def check_hyperparams(planned: HostHyperparams, used: HostHyperparams) -> None:
    """Proof of mutation: the compiled update used the planned hyper-parameters, bit for bit."""
    for name, plan in planned.items():
        wrong = np.flatnonzero(plan.view(np.uint32) != used[name].view(np.uint32))
        if wrong.size:
            slot = int(wrong[0])
            raise MutationNotProven(
                f"slot {slot} should train with {name} {plan[slot]!r}, but trained with {used[name][slot]!r}",
                OUR_DEFECT,
                slot,
                values_of(slot, planned),
            )


def failure_fields(error: EngineError) -> dict[str, Any]:
    """The fields of a `failed` event."""
    is_members = isinstance(error, MemberFailed)
    return {
        "message": error.message,
        "remedy": error.remedy,
        "member": error.member if is_members else None,
        "hyperparams": error.hyperparams if is_members else None,
    }
