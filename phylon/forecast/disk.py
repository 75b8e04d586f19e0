"""What the checkpoints of a run take of the service's disk."""

import math
from typing import NamedTuple

from phylon.forecast.memory import population_memory, replay_bytes
from phylon.spec.experiment import ExperimentSpec


class CheckpointDisk(NamedTuple):
    bytes: int
    """Of one checkpoint at most, when the replay is full: states and replay, which are nearly all of it."""
    kept: int
    """Of one run at the same time, at most."""

    @property
    def total(self) -> int:
        return self.bytes * self.kept


def checkpoint_disk(spec: ExperimentSpec) -> CheckpointDisk:
    memory, keep = population_memory(spec), spec.checkpoint.keep
    written = math.ceil(spec.budget.env_steps / spec.checkpoint.interval)
    # Until the winner is known, any checkpoint may be a branch point. One more is on its way while it is reported.
    kept = written if keep.branches else min(written, keep.last + keep.best + 1)
    return CheckpointDisk(spec.population.size * memory.state + memory.fixed.device + replay_bytes(spec), kept)
