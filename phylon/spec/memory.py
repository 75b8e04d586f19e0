"""What a replay takes of a worker's memory: the forecast of a spec, and the sizes that the engine follows."""

import math

from phylon import catalogue
from phylon.spec.experiment import ExperimentSpec

NUMBER_BYTES = 4
FRAME_NUMBER_BYTES = 8


def frame_slots(capacity: int) -> int:
    """Frames that a replay of stacked frames has room for at first: one a transition, and some to begin episodes."""
    return capacity + capacity // 8


def replay_bytes(spec: ExperimentSpec) -> int:
    """Of one run, when its replay is full; 0 without one.

    Action, reward and the end-of-episode mark are numbers, and so are observations, but for the pixels of images.
    Where an environment stacks its latest frames, each frame is stored once, and the stacks as numbers of frames.
    """
    if spec.replay is None:
        return 0
    entry = catalogue.find(spec.environment.suite, spec.environment.id)
    if entry is None:
        raise ValueError(f"a valid spec names a known environment, but {spec.environment.id} is in no catalogue")
    capacity, stack = spec.replay.capacity, entry.frame_stack
    value_bytes = 1 if entry.observation.dtype == "uint8" else NUMBER_BYTES
    observation = value_bytes * math.prod(entry.observation.shape)
    ring = capacity * NUMBER_BYTES * (math.prod(entry.action.shape) + 2)
    if stack == 1:
        ring += capacity * 2 * observation
    else:
        ring += capacity * 2 * stack * FRAME_NUMBER_BYTES + frame_slots(capacity) * observation // stack
    rings = 1 if spec.replay.sharing == "shared" else spec.population.size
    return rings * ring
