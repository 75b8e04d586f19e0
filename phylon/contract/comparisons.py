"""A comparison: experiments and groups beside each other, with what can be said about their difference.

What is compared are *arms*: an experiment, or a group whose experiments are tasks. Its sample is the *replicate*: one
run of a population. Members are replicates only where they know nothing of each other.
"""

from enum import StrEnum
from typing import Any

from phylon.contract.base import ReadModel, Real
from phylon.contract.experiments import GroupName
from phylon.contract.groups import Estimate
from phylon.contract.imports import ImportFormat
from phylon.contract.vocabulary import ExperimentStatus, Phase


class CurveAxis(StrEnum):
    STEPS = "steps"
    """Environment steps of each member."""
    UPDATES = "updates"
    """Gradient updates of each member."""
    WALL = "wall"
    """Seconds of work."""
    TOTAL_STEPS = "total_steps"
    """Environment steps of all members together."""


class StatisticName(StrEnum):
    MEAN = "mean"
    MEDIAN = "median"
    """Over replicates; of several tasks, over their means."""
    IQM = "iqm"
    """Interquartile mean: without the lowest and the highest quarter of the scores."""


class ScoreSource(StrEnum):
    FINAL = "final"
    """In episodes that no selection saw, after training."""
    LAST = "last"
    """At the last evaluation in training, where there is no final return: partly luck where members are selected."""
    AT = "at"
    """On the curve, at the position that was asked for."""


class CaveatKind(StrEnum):
    NO_COMMON_TASK = "no_common_task"
    LEFT_OUT_TASKS = "left_out_tasks"
    SCALES = "scales"
    FEW_REPLICATES = "few_replicates"
    MEMBERS = "members"
    UNFINISHED = "unfinished"
    LEFT_OUT_RUNS = "left_out_runs"
    DIVERGED = "diverged"
    NOT_FINAL = "not_final"
    IMPORTED = "imported"
    BUDGETS = "budgets"
    MANY_ARMS = "many_arms"
    SEVERAL_DIFFERENCES = "several_differences"


class Caveat(ReadModel):
    """A reason to doubt what the numbers say."""

    kind: CaveatKind
    text: str


class ComparedExperiment(ReadModel):
    id: int
    name: str
    status: ExperimentStatus
    environment: str
    algorithm: str
    method: str
    population_size: int
    imported: ImportFormat | None
    """Where it was trained elsewhere: the format of its files."""


class Replicate(ReadModel):
    """One sample of an arm."""

    run_id: int
    member: int | None
    """Where each member is a sample of its own."""
    task: str
    value: float
    source: ScoreSource


class ArmBudget(ReadModel):
    """What a run of the arm has spent, the mean over its runs."""

    env_steps: float
    """Of each member."""
    total_env_steps: float
    """Of all members together."""
    updates: float | None
    """Of each member; None where its spec does not say."""
    seconds: float | None
    """Of work; None before the first tick of any run."""


class Arm(ReadModel):
    key: str
    """`experiment-3` or `group-2`: what parameters call it by."""
    name: str
    experiments: list[ComparedExperiment]
    group: GroupName | None
    runs: int
    replicates: list[Replicate]
    """Those that count; on the common tasks alone."""
    mean: Estimate | None
    """Of the scores on the common tasks; none without any, and where tasks pay on different scales."""
    median: Estimate | None
    iqm: Estimate | None
    optimality_gap: Estimate | None
    """How far scores stay below the target on average; none without a target."""


class ArmPair(ReadModel):
    """The first against the second: above zero, the first is better."""

    first: str
    second: str
    difference: Estimate | None
    """Of the chosen statistic; none where tasks pay on different scales."""
    improvement: Estimate
    """The probability that a replicate of the first beats one of the second."""
    replicates_needed: int | None
    """Of each arm on every task, to see a difference as large as this one. None where it cannot be said."""


class ArmProfile(ReadModel):
    arm: str
    share: list[float]
    """Of the scores that are above each threshold."""
    low: list[float | None]
    high: list[float | None]


class Profiles(ReadModel):
    thresholds: list[float]
    arms: list[ArmProfile]


class ConfigDifference(ReadModel):
    """A field of the resolved specs that is not the same in all arms."""

    path: str
    values: list[Any]
    """By arm; a list of texts where the experiments of an arm differ among themselves, null where it is absent."""


class Verdict(ReadModel):
    headline: str
    """What is better, by how much, and how sure."""
    better: str | None
    """The arm that is; none where that is not clear."""
    best: ArmPair | None
    """The arm that is ahead against the next; none where there is nothing to compare."""
    caveats: list[Caveat]


class Comparison(ReadModel):
    metric: str
    axis: CurveAxis
    """Of `at`, where it is given."""
    at: float | None
    """Where on the axis scores were taken; else they are final returns."""
    target: float | None
    statistic: StatisticName
    """Asked for, or the mean for one task and the interquartile mean for several."""
    tasks: list[str]
    """Environments that all arms have: what the numbers are of."""
    all_tasks: list[str]
    """Environments of any arm."""
    comparable: bool
    """Whether returns of these tasks are on one scale."""
    baseline: str | None
    arms: list[Arm]
    pairs: list[ArmPair]
    """Every arm against the baseline."""
    profiles: Profiles | None
    config: list[ConfigDifference]
    verdict: Verdict


class RunCurve(ReadModel):
    run_id: int
    member: int | None
    task: str
    x: list[float]
    y: list[Real]


class Reaching(ReadModel):
    """How long replicates took to the target. Who has not reached it counts as slower than all who have."""

    reached: int
    replicates: int
    median: float | None
    """None where half or more had not reached it when they ended."""
    low: float | None
    high: float | None


class ArmCurve(ReadModel):
    arm: str
    x: list[float]
    value: list[float | None]
    low: list[float | None]
    """Ends of the 95 % interval; null where a task has fewer than two replicates."""
    high: list[float | None]
    replicates: list[int]
    """How many have come so far."""
    runs: list[RunCurve]
    """Each replicate's own curve, where asked for."""
    steps_to_target: Reaching | None
    seconds_to_target: Reaching | None


class ComparedCurves(ReadModel):
    metric: str
    axis: CurveAxis
    statistic: StatisticName
    target: float | None
    of: str
    """What a replicate's value is, in words, e.g. `best member`."""
    tasks: list[str]
    note: str | None
    """Why there are no curves."""
    arms: list[ArmCurve]


class ArmTimes(ReadModel):
    arm: str
    runs: int
    """That have measured their time."""
    seconds: dict[Phase, float]
    """Of each phase, the mean over these runs."""
    budget: ArmBudget


class ComparedBudgets(ReadModel):
    arms: list[ArmTimes]
