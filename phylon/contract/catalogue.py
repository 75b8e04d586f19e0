"""Environments and presets that exist."""

from typing import Literal

from phylon.contract.base import ReadModel


class Space(ReadModel):
    """The shape of observations or actions. `n` counts the values of a discrete space."""

    kind: Literal["box", "discrete", "other"]
    shape: tuple[int, ...]
    dtype: str
    n: int | None

    def describe(self) -> str:
        match self.kind:
            case "box":
                return f"{'x'.join(map(str, self.shape)) or '1'} {self.dtype}"
            case "discrete":
                return f"{self.n} discrete values"
            case "other":
                return "a composite space"


class Environment(ReadModel):
    """An environment of the catalogue."""

    suite: str
    id: str
    family: str
    """Which part of the suite it belongs to, e.g. `mujoco` or `atari`."""
    observation: Space
    action: Space
    max_episode_steps: int | None


class Preset(ReadModel):
    """A spec that is ready to run."""

    name: str
    description: str
    smoke: bool
    """Finishes in about a minute on two CPU cores; of a group, each experiment does."""
    kind: Literal["training", "group", "runtime_study"]
    experiments: int | None
    """How many a group submits; none for a single experiment."""
    yaml: str
    """The spec as written, with its comments."""
