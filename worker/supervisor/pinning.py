"""Which part of the machine a job gets: the devices of its slots, and no other job's."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from phylon.contract.protocol import DeviceKind
from phylon.worker.supervisor.device import graphics_cards


class Place(NamedTuple):
    variables: dict[str, str]
    """JAX fails with these, instead of falling back to another kind of device without a word."""
    cores: frozenset[int]
    """Programs that count cores find so many."""


def pin(kind: DeviceKind, slots: Sequence[int], of: int) -> Place:
    """The place of a job that occupies these of the worker's slots. Jobs on GPUs share the cores."""
    cores = sorted(os.sched_getaffinity(0))
    if kind == "cpu":
        shares = frozenset(core for slot in slots for core in share_of(cores, slot, of))
        return Place({"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}, shares)
    cards = graphics_cards()
    visible = ",".join(cards[slot].id for slot in slots)
    return Place({"CUDA_VISIBLE_DEVICES": visible, "JAX_PLATFORMS": "cuda,cpu"}, frozenset(cores))


def share_of(cores: Sequence[int], slot: int, of: int) -> Sequence[int]:
    """An even share; where slots outnumber cores, several slots have the same core."""
    if of > len(cores):
        return [cores[slot % len(cores)]]
    return cores[slot * len(cores) // of : (slot + 1) * len(cores) // of]
