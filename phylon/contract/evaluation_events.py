"""What the process of an evaluation reports. `step` counts the episodes of all policies that were played by then.

History is never cut back: an episode that was played stays played, whichever worker goes on.
"""

from typing import Annotated, Literal, get_args

from pydantic import Discriminator, Field, TypeAdapter
from typing_extensions import TypeAliasType

from phylon.contract.evaluations import Finite
from phylon.contract.events import Event, Stopped
from phylon.contract.outcomes import JobFailed, JobFinished


class PolicyLoaded(Event):
    """A policy is about to play. `policy` is its place in what was asked for, here and below."""

    kind: Literal["loaded"]
    policy: int
    environment: str
    """`suite:id`."""
    deterministic: bool
    member: int | None
    """None for the mean of a search."""
    policy_step: int
    """Of its run, when its weights were saved."""
    weights_sha256: str


class EpisodesPlayed(Event):
    """Some episodes of a policy, which were played side by side."""

    kind: Literal["played"]
    policy: int
    first: int
    """How many of this policy were played before."""
    returns: list[Finite]
    lengths: list[int]


class EpisodeFilmed(Event):
    """A film of an episode lies in the folder under `file`."""

    kind: Literal["film"]
    policy: int
    episode: int
    episode_return: Finite
    episode_steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""
    file: str
    bytes: int
    sha256: str


class NotFilmed(Event):
    """Episodes of a policy cannot be filmed; it plays all the same."""

    kind: Literal["not_filmed"]
    policy: int
    reason: Annotated[str, Field(max_length=2000)]


_AnyEvent = PolicyLoaded | EpisodesPlayed | EpisodeFilmed | NotFilmed | JobFinished | Stopped | JobFailed

EvaluationEvent = TypeAliasType("EvaluationEvent", Annotated[_AnyEvent, Discriminator("kind")])
EVALUATION_EVENTS: tuple[type[Event], ...] = get_args(_AnyEvent)

evaluation_event: TypeAdapter[EvaluationEvent] = TypeAdapter(EvaluationEvent)
