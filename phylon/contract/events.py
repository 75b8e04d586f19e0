"""What a trainer reports while it works. The spool, the API, the database and the browser all carry these events.

Events of a run are numbered 0, 1, 2, … without gaps. When a run resumes from a checkpoint, its history is cut back to
the event number stored in that checkpoint and goes on from there, so it always describes the weights that exist.
Log lines are not events: they belong to an attempt and are never cut back.
"""

from typing import Annotated, Any, Literal, cast, get_args

from pydantic import Discriminator, TypeAdapter, model_validator
from typing_extensions import TypeAliasType

from phylon.contract.base import Real
from phylon.spec.distributions import Model

Hyperparams = dict[str, Real]
"""Values of one member by name."""

Operator = TypeAliasType(
    "Operator",
    Literal["founder", "copy", "perturb", "resample", "suggest", "sample", "migrate", "schedule", "custom", "reset"],
)
"""How a member came to its hyper-parameters or weights.

`suggest`: a model proposed them (PB2). `sample`: weights drawn from a distribution (CEM-RL). `migrate`: taken from
another sub-population (MF-PBT). `schedule`: prescribed for this step. `custom`: by a function of the user's own.
"""


class Event(Model):
    seq: int
    step: int
    """Environment steps of each member when it happened."""
    wall: float
    """Seconds of work since the run began, without the time between attempts."""


class Started(Event):
    """A trainer begins or takes up the run."""

    kind: Literal["started"]
    resumed: bool
    strategy: str
    explanation: str
    """Why `auto` chose this strategy, with what it measured; or that the spec asked for it."""
    devices: list[str]
    versions: dict[str, str]
    parameters: int
    """Weights of one member."""


class Metrics(Event):
    """One tick: for each name one value per member, or a single value for the whole population."""

    kind: Literal["metrics"]
    frames: dict[str, list[Real]]


class Span(Model):
    """A stretch of one member's life with constant hyper-parameters. It ends where the slot's next span starts."""

    id: int
    slot: int
    parent: int | None
    """The span whose weights it began with; `None` for a founder, its own slot's for a reset."""
    operator: Operator
    changes: dict[str, str]
    """What was done to each tuned hyper-parameter: `inherit`, `x0.8`, `x1.2`, `resample`, `draw`, …

    For a reset: what was done to each part of the member.
    """
    hyperparams_before: Hyperparams | None
    """Values of the parent before exploration."""
    hyperparams: Hyperparams
    fitness: Real | None
    """Fitness of the replaced member that decided its replacement."""
    parent_fitness: Real | None
    rank: int | None
    """Rank of the replaced member, 0 the best."""
    weights: str
    """Hash of its weights at the start; equals the parent's hash at that moment."""
    reasons: dict[str, Real]
    """What the method knew when it decided, by name: for PB2 the predicted mean and deviation, and so on."""

    @model_validator(mode="before")
    @classmethod
    def _of_older_runs(cls, raw: Any) -> Any:
        """Runs of the first version recorded no reasons. A default would make the field optional to every reader."""
        return {"reasons": {}, **cast(dict[str, Any], raw)} if isinstance(raw, dict) else raw


class Lineage(Event):
    """Members were born: the founders at step 0, later the children of a selection."""

    kind: Literal["lineage"]
    spans: list[Span]


class Checkpoint(Event):
    """A complete checkpoint lies in the run directory under `file`."""

    kind: Literal["checkpoint"]
    number: int
    file: str
    bytes: int
    sha256: str


class Video(Event):
    """A film of one member lies in the run directory under `file`: the first episode that it was just judged by."""

    kind: Literal["video"]
    member: int
    span: int
    """The stretch of its life that it was filmed in."""
    episode_return: Real
    episode_steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""
    file: str
    bytes: int
    sha256: str


class Finished(Event):
    """The budget is used up."""

    kind: Literal["finished"]
    best_member: int
    fitness: Real
    """Of that member, as selection would have seen it at the end."""


class Stopped(Event):
    """The run stopped at a checkpoint because someone asked for it."""

    kind: Literal["stopped"]


class Failed(Event):
    """The run cannot go on, and trying again would not help."""

    kind: Literal["failed"]
    message: str
    remedy: str
    member: int | None
    hyperparams: Hyperparams | None


_AnyEvent = Started | Metrics | Lineage | Checkpoint | Video | Finished | Stopped | Failed
RunEvent = TypeAliasType("RunEvent", Annotated[_AnyEvent, Discriminator("kind")])
"""Named, so that the generated client has the union under one name."""
RUN_EVENTS: tuple[type[Event], ...] = get_args(_AnyEvent)
EVENT_KINDS: tuple[str, ...] = tuple(get_args(event.model_fields["kind"].annotation)[0] for event in RUN_EVENTS)
OUTCOMES = (Finished, Stopped, Failed)

run_event: TypeAdapter[RunEvent] = TypeAdapter(RunEvent)
