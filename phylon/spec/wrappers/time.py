"""Wrappers of steps: how long an action lasts, whether it is obeyed, and when an episode is cut."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry
from phylon.registry.descriptions import WrapperDescription
from phylon.spec.distributions import Model
from phylon.spec.wrappers.rewards import same


class ActionRepeatSpec(Model):
    name: Literal["action_repeat"]
    steps: Annotated[int, Field(ge=2, le=100)]


class StickyActionsSpec(Model):
    name: Literal["sticky_actions"]
    probability: Annotated[float, Field(gt=0, lt=1)] = 0.25
    """How likely the previous action is repeated; the default is that of Machado et al. 2018."""


class TimeLimitSpec(Model):
    name: Literal["time_limit"]
    steps: Annotated[int, Field(ge=1, le=10**7)]


def fewer_steps(spec: ActionRepeatSpec, entry: EnvironmentEntry) -> EnvironmentEntry:
    limit = entry.max_episode_steps
    return entry.model_copy(update={"max_episode_steps": None if limit is None else -(-limit // spec.steps)})


def limited(spec: TimeLimitSpec, entry: EnvironmentEntry) -> EnvironmentEntry:
    return entry.model_copy(update={"max_episode_steps": min(spec.steps, entry.max_episode_steps or spec.steps)})


ACTION_REPEAT = WrapperDescription(
    spec=ActionRepeatSpec,
    engines={
        "single": "phylon.worker.environments.wrappers.single:action_repeat",
        "functional": "phylon.worker.environments.wrappers.functional:action_repeat",
    },
    summary="Takes every action `steps` times, or until the episode ends, and adds up the rewards.",
    changes=fewer_steps,
)

STICKY_ACTIONS = WrapperDescription(
    spec=StickyActionsSpec,
    engines={
        "pool": "phylon.worker.environments.wrappers.sticky:sticky_actions",
        "functional": "phylon.worker.environments.wrappers.functional:sticky_actions",
    },
    summary="Repeats the previous action instead of the chosen one with `probability`; in evaluations too.",
    changes=same,
)

TIME_LIMIT = WrapperDescription(
    spec=TimeLimitSpec,
    engines={
        "single": "phylon.worker.environments.wrappers.single:time_limit",
        "functional": "phylon.worker.environments.wrappers.functional:time_limit",
    },
    summary="Truncates episodes after `steps`, which bootstrapping goes on through.",
    changes=limited,
)
