"""Environments and presets that exist."""

from typing import Literal

from phylon.contract.base import ReadModel
from phylon.policy.parts import Part


class Space(ReadModel):
    """The shape of observations or actions.

    A composite observation is one vector to the learner: its parts laid end to end, as `parts` says.
    """

    kind: Literal["box", "discrete", "multi_discrete", "composite", "other"]
    """`multi_discrete`: several choices at once; `other`: what no algorithm can use."""
    shape: tuple[int, ...]
    dtype: str
    n: int | None
    """How many values a discrete space has."""
    counts: tuple[int, ...]
    """How many values each choice of a multi-discrete space has."""
    parts: tuple[Part, ...]
    """Of a composite space, in their order."""

    @property
    def has_images(self) -> bool:
        """Beside other parts."""
        return any(part.is_image for part in self.parts)

    def describe(self) -> str:
        match self.kind:
            case "box":
                return f"{'x'.join(map(str, self.shape)) or '1'} {self.dtype}"
            case "discrete":
                return f"{self.n} discrete values"
            case "multi_discrete":
                return f"{len(self.counts)} choices of {', '.join(map(str, self.counts))} values"
            case "composite":
                return "; ".join(part.describe() for part in self.parts)
            case "other":
                return "a space without a fixed size or without bounds"


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


class Hyperparameter(ReadModel):
    """A number, or a name, that may differ between members."""

    name: str
    description: str
    default: float | str
    low: float | None
    """Limits of legal values; none for names."""
    high: float | None
    """None where there is no limit."""
    is_integer: bool
    names: list[str] | None
    """What a categorical one can be."""
    scale: Literal["linear", "log", "complement"]
    """How it moves: by differences, by factors, or as 1 - x by factors."""
    search: dict[str, list[float] | list[str]] | None
    """The recommended distribution, as a spec writes it; none where it is better left alone."""


class Algorithm(ReadModel):
    """An algorithm that is installed where the service runs."""

    name: str
    title: str
    summary: str
    experience: Literal["replay", "rollout"]
    actions: list[Literal["box", "discrete", "multi_discrete"]]
    hyperparameters: list[Hyperparameter]
    defaults_source: str
    search_source: str
    """Where the recommended search space comes from."""
    environment: str | None
    """The only environment of a toy, as suite/id."""


class Method(ReadModel):
    """A population method that is installed where the service runs."""

    name: str
    title: str
    summary: str
    tuning: Literal["required", "usual", "optional"]
    """Whether it needs hyper-parameters that differ between members."""
    choices: Literal["allowed", "required", "refused"]
    """Whether categories are among what it tunes."""
    algorithms: list[str]
    """Those that it can train."""
    smallest_size: int


class Suite(ReadModel):
    """An environment suite that is installed where the service runs; workers report their own."""

    name: str
    title: str
    summary: str
    install: str
    """What to give `pip install` on a worker."""
    is_functional: bool
    """Whether environments are JAX functions that run on the device."""
    environments: int
    """How many the catalogue lists."""
