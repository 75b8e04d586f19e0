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


class Origin(Model):
    """Where the weights of a founder come from that did not begin with a draw."""

    source: Literal["checkpoint", "policy"]
    """`checkpoint`: all of the member's state. `policy`: what acts; critics and optimisers were new."""
    experiment: str
    """Its name."""
    experiment_id: int | None
    run: int | None
    """Its number on the service that it was trained by; None for one of the foreground."""
    member: int | None
    """None for the mean of a search over weights."""
    span: int | None
    step: int
    sha256: str
    """Of the checkpoint, or of the policy's weights."""
    algorithm: str
    environment: str


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
    """Values that exploration began with: the parent's, or those of another member where the method takes them from
    there (the replaced member's own with `copying.hyperparams: false`, the part's best for some migrants of MF-PBT)."""
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
    origin: Origin | None
    """Of a founder that began with weights from elsewhere (`population.start`); None for all others."""

    @model_validator(mode="before")
    @classmethod
    def _of_older_runs(cls, raw: Any) -> Any:
        """They recorded neither reasons nor origins. Defaults would make the fields optional to every reader."""
        return {"reasons": {}, "origin": None, **cast(dict[str, Any], raw)} if isinstance(raw, dict) else raw


class Lineage(Event):
    """Members were born: the founders at step 0, later the children of a selection."""

    kind: Literal["lineage"]
    spans: list[Span]


class Diverged(Event):
    """A number of a member is no longer finite, so the member is set aside.

    It has no fitness and is nobody's donor until another member replaces it; the others go on.
    """

    kind: Literal["diverged"]
    member: int
    span: int
    """The stretch of its life that ended so."""
    metric: str
    """Of its updates, such as `critic_loss`; `weights` where these alone are not finite."""
    value: Real
    hyperparams: Hyperparams


class Block(Model):
    """A further file of a checkpoint: what belongs to the members of one process of several."""

    file: str
    bytes: int
    sha256: str


class Checkpoint(Event):
    """A complete checkpoint lies in the run directory under `file`; that of a gang in several directories."""

    kind: Literal["checkpoint"]
    number: int
    file: str
    bytes: int
    sha256: str
    blocks: tuple[Block, ...] = ()
    """The other files, in the order of their members."""


InterruptionReason = TypeAliasType("InterruptionReason", Literal["stopped", "handed_back", "extended"])
"""`stopped`: someone asked for it. `handed_back`: its worker gave it back in order, because the worker left, or the run
was paused or made room for another. `extended`: it had ended, and got a larger budget."""


class Interrupted(Event):
    """The run goes on from a checkpoint that was written because it was interrupted, or ended, between two scheduled
    ones; or from an end that an undisturbed run would have passed in another state.

    Environments restart with every checkpoint, so from this step on its numbers are not those of an undisturbed run.
    Reported right after `started` by the attempt that takes the run up.
    """

    kind: Literal["interrupted"]
    reason: InterruptionReason


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


class PolicyWritten(Event):
    """The winner's policy lies in the run directory under `file`: weights and card, ready to act without the engine."""

    kind: Literal["policy"]
    member: int
    span: int
    file: str
    bytes: int
    sha256: str


class FinalReturn(Model):
    """What the winner earns in episodes that no selection saw: the result of a run."""

    member: int
    """The best by fitness at the end: chosen before these episodes were played."""
    span: int
    mean: Real
    stderr: Real
    """NaN for a single episode, as the interval is."""
    low: Real
    """Ends of the 95 % interval of the mean, by Student's t."""
    high: Real
    episodes: int | None
    """None where results from elsewhere do not say."""
    last_return: Real
    """Of the same member at the last evaluation in training."""
    selection_bias: Real
    """`last_return` minus `mean`: how much its selection flattered it, apart from the chance of both evaluations."""
    unseen_levels: bool
    """Whether the episodes are on all levels while members trained, and were ranked, on some of them. The bias then
    holds the gap between the two as well."""


EndReason = TypeAliasType("EndReason", Literal["budget", "seconds", "target_return", "plateau"])
"""Which limit of the budget came first; `budget` is its environment steps."""


class Finished(Event):
    """A limit of the budget was reached."""

    kind: Literal["finished"]
    reason: EndReason
    best_member: int
    fitness: Real
    """Of that member, as selection would have seen it at the end."""
    final: FinalReturn | None
    """None where `evaluation.final` is 0."""

    @model_validator(mode="before")
    @classmethod
    def _of_older_runs(cls, raw: Any) -> Any:
        """They had no final evaluation and no limit but steps. Defaults would make the fields optional to readers."""
        return {"reason": "budget", "final": None, **cast(dict[str, Any], raw)} if isinstance(raw, dict) else raw


class Stopped(Event):
    """The run stopped because someone asked for it, at a checkpoint unless it resumes exactly."""

    kind: Literal["stopped"]


class Failed(Event):
    """The run cannot go on, and trying again would not help."""

    kind: Literal["failed"]
    message: str
    remedy: str
    member: int | None
    hyperparams: Hyperparams | None


_AnyEvent = (
    Started
    | Interrupted
    | Metrics
    | Lineage
    | Diverged
    | Checkpoint
    | Video
    | PolicyWritten
    | Finished
    | Stopped
    | Failed
)
RunEvent = TypeAliasType("RunEvent", Annotated[_AnyEvent, Discriminator("kind")])
"""Named, so that the generated client has the union under one name."""
RUN_EVENTS: tuple[type[Event], ...] = get_args(_AnyEvent)
EVENT_KINDS: tuple[str, ...] = tuple(get_args(event.model_fields["kind"].annotation)[0] for event in RUN_EVENTS)
OUTCOMES = (Finished, Stopped, Failed)

run_event: TypeAdapter[RunEvent] = TypeAdapter(RunEvent)
