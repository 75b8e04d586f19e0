"""Proof of mutation: what a method planned is what training really works with. A difference fails the run loudly.

Two things are compared. The weights of each slot after the gather with those of its parent before it, by checksums
taken on the device. And the hyper-parameters that the compiled update says it used with those of the plan, bit for bit.
"""

import numpy as np
from numpy.typing import NDArray

from phylon.worker.training.failure import MutationNotProven
from phylon.worker.training.lineage import HostHyperparams, spell_weights, values_of

REMEDY = "this is a defect of Phylon, not of the experiment: please report it with the run's log and spec"


def prove_copies(
    before: NDArray[np.uint32], after: NDArray[np.uint32], parents: NDArray[np.int32], hyperparams: HostHyperparams
) -> None:
    """Checksums [P, 2] before and after the gather along `parents`."""
    wrong = np.flatnonzero((after != before[parents]).any(axis=1))
    if wrong.size:
        slot = int(wrong[0])
        raise MutationNotProven(
            f"slot {slot} should hold the weights of slot {parents[slot]} ({spell_weights(before[parents[slot]])}), "
            f"but holds others ({spell_weights(after[slot])})",
            REMEDY,
            slot,
            values_of(slot, hyperparams),
        )


def prove_hyperparams(planned: HostHyperparams, used: HostHyperparams) -> None:
    for name, plan in planned.items():
        wrong = np.flatnonzero(plan.view(np.uint32) != used[name].view(np.uint32))
        if wrong.size:
            slot = int(wrong[0])
            raise MutationNotProven(
                f"slot {slot} should train with {name} {plan[slot]!r}, but trained with {used[name][slot]!r}",
                REMEDY,
                slot,
                values_of(slot, planned),
            )
