"""Why a run came to its result: what each hyper-parameter was and did, and how much of selection was luck."""

from enum import StrEnum

from phylon.contract.base import ReadModel
from phylon.contract.groups import Estimate
from phylon.contract.lineage import Tuned


class DrawnUnit(StrEnum):
    """What a resample draws, so what an interval is about."""

    SPAN = "span"
    """Other spans of the same runs."""
    RUN = "run"
    """Other runs. Used where there are enough of them."""


class BoundSide(StrEnum):
    LOW = "low"
    HIGH = "high"


class SpanOutcome(ReadModel):
    """The tuned values of a span, and what came of them."""

    run_id: int | None
    """None for a run that lies in a folder."""
    span: int
    member: int
    start_step: int
    end_step: int
    """How far the run has come, for a span that lives."""
    values: dict[str, float]
    """Of the tuned hyper-parameters, those that are finite numbers."""
    evaluations: int
    last_return: float | None
    """At its last evaluation; none before the first, and where that is no finite number."""
    gain: float | None
    """Of its last return over what its weights were worth when it began; none for weights that came from nowhere."""
    standing: float | None
    """The share of the population that it was ahead of, the mean over its evaluations; 0.5 is the middle."""
    progress: float | None
    """The share of the population that improved less than it did since the evaluation before, the mean over its
    evaluations; 0.5 is what a member does that is neither better nor worse than others at the same time."""


class ValueLevel(ReadModel):
    """Some of the values that a hyper-parameter had: a third of those tried, or one of a few."""

    low: float
    high: float
    spans: int
    progress: float
    """The mean over these spans, each as often as it was evaluated."""


class HyperparameterExplanation(ReadModel):
    tuned: Tuned
    importance: Estimate | None
    """Share of the differences in progress between spans that its values predict, in spans that the prediction has not
    seen. Below or around zero: nothing. None where that cannot be said."""
    levels: list[ValueLevel]
    """From low to high. Empty before anything was evaluated."""
    at_low: float
    """Share of all steps of all members that were spent at the lower bound."""
    at_high: float
    bound: BoundSide | None
    """The bound at which most of these steps were spent, if there is one."""


class DonorNoise(ReadModel):
    """A copy from one slot into another, and how much of it was chance."""

    run_id: int | None
    step: int
    span: int
    """Of the child."""
    member: int
    """Whose slot it took."""
    donor: int
    donor_again: float | None
    """Probability that the donor is among those that are copied, were the evaluation's errors to fall again. None
    where errors are unknown, or the rule does not copy from a fixed number of the best."""
    ahead_again: float | None
    """Probability that the donor is ahead of the member that it replaced. None where errors are unknown."""


class SelectionNoise(ReadModel):
    copies: int
    known: int
    """Those of them of which the evaluation's error is known: it needs at least two episodes."""
    donor_again: float | None
    """The mean over copies, where it is known."""
    ahead_again: float | None
    chance: float | None
    """What `donor_again` would be if selection were by lot."""
    donors: list[DonorNoise]


class Explanation(ReadModel):
    """Of one run, or of several pooled: then hyper-parameters are those that all of them tune."""

    run_ids: list[int]
    hyperparams: list[HyperparameterExplanation]
    """Most important first."""
    spans: list[SpanOutcome]
    observed: int
    """Spans whose progress is known."""
    needed: int
    """Spans without which nothing is said about importance."""
    explained: Estimate | None
    """Share of the differences in progress that all hyper-parameters together predict."""
    unit: DrawnUnit
    noise: SelectionNoise
