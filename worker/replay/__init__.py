"""Experience replay on the host."""

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.replay.frames import FrameReplay
from phylon.worker.replay.ring import Replay

__all__ = ["FrameReplay", "Replay", "make_replay"]


def make_replay(
    population_size: int, capacity: int, info: EnvironmentInfo, n_step: int = 1, first: int = 0
) -> Replay | FrameReplay:
    """Both give the same samples; the one for stacked frames takes a fraction of the memory."""
    return (FrameReplay if info.frame_stack > 1 else Replay)(population_size, capacity, info, n_step, first)
