"""Where members live."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model
from phylon.spec.registered import SuiteName

Stepping = Literal["auto", "inline", "processes"]

LEVELS = 2**31 - 1
"""Procgen numbers its levels with 31 bits."""


class AtariSpec(Model):
    """How a game is played for training. Evaluation plays whole games for their true score."""

    life_loss_ends_episode: bool = True
    clip_rewards: bool = True
    """Each reward counts as -1, 0 or 1."""
    idle_starts: Annotated[int, Field(ge=1, le=1000)] = 30
    """A game begins with up to so many steps of doing nothing, so that no two begin alike."""
    sticky_actions: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """How likely the game is to repeat the previous action instead of the chosen one; in evaluation too."""


class ProcgenSpec(Model):
    """The levels for training. Evaluation draws from all there are."""

    levels: Annotated[int, Field(ge=0, le=LEVELS)] = 200
    """How many; 0 for all."""
    start_level: Annotated[int, Field(ge=0, le=LEVELS)] = 0
    """The number of the first one."""


class EnvironmentSpec(Model):
    suite: SuiteName
    id: Annotated[str, Field(min_length=1, max_length=200)]
    envs_per_member: Annotated[int, Field(ge=1, le=256)] = 1
    stepping: Stepping = "auto"
    """Gymnasium only: in the trainer's own process, or spread over processes. The numbers are the same, the speed is
    not; `auto` measures a few steps."""
    atari: AtariSpec | None = None
    """For Atari games of envpool; left out, its defaults hold."""
    procgen: ProcgenSpec | None = None
    """For Procgen games of envpool; left out, its defaults hold."""
