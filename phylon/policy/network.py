"""How a policy computes an action, as data: enough to build it again in any framework.

A network is a list of steps. Each names an operation, what it is applied to, and the weights that it reads. It ends
in `outputs`; from these one value is chosen, by the kind of distribution, and `finish` turns it into an action:

    point        the output `mean`
    normal       `mean`, or a draw with the deviation exp(`log_std`)
    categorical  the largest of `logits`, or a draw
    greedy       the largest of `logits`, always
    factored     several choices at once: the same as categorical, of each of `counts` among the `logits`

Nothing here imports NumPy or JAX: descriptions of algorithms are made of it.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from phylon.policy.parts import Part

OBSERVATION, CHOSEN, ACTION = "observation", "chosen", "action"
"""Names of values that no step makes: what the network sees, and what `finish` begins with. It ends with `action`."""

Distribution = Literal["point", "normal", "categorical", "greedy", "factored"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("point", "normal", "categorical", "greedy", "factored")


class Step(NamedTuple):
    """`name` = `operation`(`inputs`, `weights`, `settings`)."""

    name: str
    operation: str
    """A name of `phylon.policy.operations.OPERATIONS`, where each is defined."""
    inputs: tuple[str, ...]
    weights: Mapping[str, str]
    """Names of arrays in the weights file, by the role that they play."""
    settings: Mapping[str, Any]


class PolicyNetwork(NamedTuple):
    steps: tuple[Step, ...]
    outputs: Mapping[str, str]
    """Names of values: `mean` and `log_std`, or `logits`."""
    distribution: Distribution
    finish: tuple[Step, ...]
    counts: tuple[int, ...] = ()
    """How many of the logits belong to each choice, where there are several."""

    @property
    def weights(self) -> list[str]:
        """Names of all arrays that it reads."""
        return sorted({name for step in (*self.steps, *self.finish) for name in step.weights.values()})

    @property
    def is_stochastic(self) -> bool:
        return self.distribution in ("normal", "categorical", "factored")


class ImagePart(NamedTuple):
    """An image among the numbers of a vector."""

    start: int
    """Where it begins."""
    shape: tuple[int, ...]
    """Channels last."""

    @property
    def stop(self) -> int:
        return self.start + math.prod(self.shape)


def ranges_between(images: Sequence[ImagePart], size: int) -> list[tuple[int, int]]:
    """The stretches of a vector that no image takes: [start, stop) each."""
    starts, stops = [0, *(image.stop for image in images)], [*(image.start for image in images), size]
    return [(start, stop) for start, stop in zip(starts, stops, strict=True) if start < stop]


class Spaces(NamedTuple):
    """What a network sees and chooses from, as the trainer has them."""

    observation_shape: tuple[int, ...]
    """Images have their channels last."""
    observation_dtype: str
    """`float32`, or `uint8` for images."""
    action_size: int
    """Length of a continuous action in [-1, 1], or the number of discrete ones, of all choices together."""
    is_discrete: bool
    action_counts: tuple[int, ...] = ()
    """The values of each choice, where an action is several choices at once."""
    parts: tuple[Part, ...] = ()
    """What a composite observation is made of; `observation_shape` is then that of the vector."""

    @property
    def images(self) -> tuple[ImagePart, ...]:
        return images_of(self.parts)


def images_of(parts: Sequence[Part]) -> tuple[ImagePart, ...]:
    starts = itertools.accumulate((part.size for part in parts), initial=0)
    return tuple(ImagePart(start, part.shape) for start, part in zip(starts, parts, strict=False) if part.is_image)


class Sketch:
    """Steps while they are put together. Every method returns the name of what it has added."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(
        self, operation: str, *inputs: str, weights: Mapping[str, str] | None = None, name: str = "", **settings: Any
    ) -> str:
        name = name or f"{operation}_{len(self.steps)}"
        self.steps.append(Step(name, operation, inputs, weights or {}, settings))
        return name


def network_to_json(network: PolicyNetwork) -> dict[str, Any]:
    return {
        "steps": [_step_to_json(step) for step in network.steps],
        "outputs": dict(network.outputs),
        "distribution": network.distribution,
        "finish": [_step_to_json(step) for step in network.finish],
        **({"counts": list(network.counts)} if network.counts else {}),
    }


def network_from_json(document: Mapping[str, Any]) -> PolicyNetwork:
    """Raises KeyError, TypeError or ValueError where it is none."""
    if document["distribution"] not in DISTRIBUTIONS:
        raise ValueError(f"distribution '{document['distribution']}' is none of {', '.join(DISTRIBUTIONS)}")
    return PolicyNetwork(
        steps=_steps_from_json(document["steps"]),
        outputs=dict(document["outputs"]),
        distribution=document["distribution"],
        finish=_steps_from_json(document["finish"]),
        counts=tuple(document.get("counts", ())),
    )


def _step_to_json(step: Step) -> dict[str, Any]:
    extras = {name: dict(value) for name, value in (("weights", step.weights), ("settings", step.settings)) if value}
    return {"name": step.name, "operation": step.operation, "inputs": list(step.inputs), **extras}


def _steps_from_json(documents: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    return tuple(
        Step(each["name"], each["operation"], tuple(each["inputs"]), each.get("weights", {}), each.get("settings", {}))
        for each in documents
    )


class NativeActions(NamedTuple):
    """An environment's own actions."""

    shape: tuple[int, ...]
    """Of one action: () where it is a number."""
    dtype: str
    low: tuple[float, ...] = ()
    """Bounds of a continuous action, flat; those of a discrete one follow from `start`."""
    high: tuple[float, ...] = ()
    start: int = 0
    """The first of discrete actions."""
    starts: tuple[int, ...] = ()
    """The first value of each choice, where an action is several."""


def with_native_actions(network: PolicyNetwork, spaces: Spaces, native: NativeActions) -> PolicyNetwork:
    """The network with actions in the environment's own numbers, as its last step."""
    before = network.finish[-1].name if network.finish else CHOSEN
    if spaces.is_discrete:
        last = Step(ACTION, "count_from", (before,), {}, {"start": native.start})
    elif spaces.action_counts:
        settings = {"starts": list(native.starts), "shape": list(native.shape)}
        last = Step(ACTION, "count_each_from", (before,), {}, settings)
    else:
        settings = {"low": list(native.low), "high": list(native.high), "shape": list(native.shape)}
        last = Step(ACTION, "scale", (before,), {}, settings)
    return network._replace(finish=(*network.finish, last))


def normalised_actions(spaces: Spaces) -> NativeActions:
    """Where an environment does not say its own: [-1, 1], or counted from 0."""
    if spaces.is_discrete:
        return NativeActions((), "int64")
    if spaces.action_counts:
        choices = len(spaces.action_counts)
        return NativeActions((choices,), "int64", starts=(0,) * choices)
    size = spaces.action_size
    return NativeActions((size,), "float32", (-1.0,) * size, (1.0,) * size)
