"""Experience replay on the host."""

from worker.replay.ring import Replay

__all__ = ["Replay"]
