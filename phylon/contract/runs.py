"""A run: one population of an experiment."""

from datetime import datetime
from typing import Any, Literal

from typing_extensions import TypeAliasType

from phylon.contract.accounts import PersonName, ProjectName
from phylon.contract.base import ReadModel, Real, Request
from phylon.contract.events import EndReason, FinalReturn, InterruptionReason
from phylon.contract.vocabulary import ACTIVE, JobStatus, RankPhase


class RunError(ReadModel):
    """Why a run failed."""

    message: str
    remedy: str
    member: int | None
    hyperparams: dict[str, Real] | None


AttemptEnd = TypeAliasType(
    "AttemptEnd",
    Literal[
        "finished",
        "stopped",
        "failed",
        "crashed",
        "worker_shutdown",
        "yielded",
        "low_disk",
        "lost",
        "incomplete",
    ],
)
"""The outcome of the job, or why the attempt had none. `yielded`: paused, or made room for another. `worker_shutdown`:
its worker left in order. `low_disk`: its worker had no room left. `lost`: its worker was not heard of any more.
`incomplete`: not all workers of its gang took their part in time."""


class Rank(ReadModel):
    """One worker's part in an attempt that several have together."""

    rank: int
    worker_name: str
    host: str | None
    """The name of its machine, once it said so."""
    slots: list[int]
    phase: RankPhase
    address: str | None
    """Where the others find rank 0."""
    heard_at: datetime | None
    seconds_per_segment: float | None
    """Of its own work, without waiting for others; none before it has trained."""


class Attempt(ReadModel):
    """One worker's time with a run, or several workers' together."""

    number: int
    worker_name: str
    """Of several, that of rank 0."""
    ranks: list[Rank]
    """Where several workers have it together."""
    began_at: datetime
    ended_at: datetime | None
    end: AttemptEnd | None
    """None while it goes on."""
    detail: str | None
    """What its worker or the run said at its end."""
    checkpoint: str | None
    """The file that it went on from; None where it started from the beginning."""
    from_step: int | None
    """Environment steps of each member when it began; None before it has begun, and in attempts of older versions."""
    to_step: int | None
    """The last step that it reported. A later attempt may have begun before it."""
    end_reason: EndReason | None
    """Which limit of the budget that it had was reached first, where it finished the run."""
    final: FinalReturn | None
    """The run's result at its end, where it finished the run. Extending a run makes it a result of its past."""


class Extension(Request):
    """More budget for a run that has finished or was stopped."""

    budget: dict[str, Any]
    """As in a spec: limits that are named replace the run's, null removes one, the others stay. No limit can become
    tighter."""


class ExtensionOutlook(ReadModel):
    """Whether and how a run could go on to a larger budget."""

    budget: dict[str, Any]
    """That it has now."""
    ended_by: str | None
    """The limit of the budget that ended it, which an extension must loosen; none where it was stopped."""
    refusal: str | None
    """Why no extension is possible, else None."""
    steps_refusal: str | None
    """Why it cannot get more steps, though other limits may become looser; else None."""
    remedy: str | None


class Interruption(ReadModel):
    """Where a run left the path of an undisturbed one: it was interrupted there and kept its work."""

    step: int
    reason: InterruptionReason


class Run(ReadModel):
    """One population: a replicate of an experiment."""

    id: int
    experiment_id: int
    owner: PersonName
    project: ProjectName
    replicate: int
    seed: int
    status: JobStatus
    is_pausing: bool
    """Whether it was asked to pause: its worker hands it back at the next segment border."""
    step: int
    """Environment steps that each member has done."""
    total_steps: int
    """Of its budget."""
    extended_budget: dict[str, Any] | None
    """The budget that it trains with instead of its experiment's, where it was extended."""
    attempt: int
    """Number of the newest attempt, 0 before the first; its log is the newest."""
    attempts: int
    """Those since it last made progress (a new checkpoint), the present one among them. Those that a worker gave back
    in order do not count."""
    max_attempts: int
    """After so many without progress it fails."""
    final: FinalReturn | None
    """The result: what the winner earned in episodes that no selection saw. None while the run goes on, when it ended
    early, and in runs of older versions: then `last_return` is all there is."""
    best_return: Real | None
    """Of any member at any evaluation in training: partly luck, since it is the best of many."""
    last_return: Real | None
    """Of the best member at the last evaluation in training."""
    median_return: Real | None
    """Of the members at the last evaluation."""
    env_steps_per_second: Real | None
    eta_seconds: float | None
    strategy: str | None
    strategy_explanation: str | None
    devices: list[str]
    interruptions: list[Interruption]
    """In order. From the first on, the numbers are not those of an undisturbed run."""
    diverged_members: list[int]
    """Those that are set aside now; their spans say why. One that was replaced since is not among them."""
    error: RunError | None
    end_reason: EndReason | None
    """Which limit of its budget a finished run reached first."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker_name: str | None
    last_seq: int
    """Number of the newest event, -1 when there is none."""
    stream: str | None
    """Where its event stream goes on after what this answer contains; pass it as `after`, exactly as it came."""

    @property
    def ended(self) -> bool:
        return self.status not in ACTIVE
