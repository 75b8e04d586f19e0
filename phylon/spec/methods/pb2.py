"""Population Based Bandits: methods that choose hyper-parameters by a model of what earlier intervals gained.

Selection is PBT's. `pb2` tunes numbers; the others tune categories (`choice`) as well, with or without numbers.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from phylon.registry.descriptions import MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.explore import Probability
from phylon.spec.problems import Problem
from phylon.spec.selection import TruncationSelection

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


USUAL_WINDOW = 1000
"""That of procgen_autorl."""
LARGEST_WINDOW = 4096
"""As many as a population may have members."""


class OptimismSpec(Model):
    """The upper confidence bound: mean + sqrt(max(0, scale x ln(growth x observations))) x deviation."""

    scale: Annotated[float, Field(strict=True, ge=0, le=100)] = 0.2
    growth: Annotated[float, Field(strict=True, gt=0, le=100)] = 0.4


class BanditSpec(Model):
    """TV.EXP3.M, which draws categories. A number that is left out follows from population, categories and budget."""

    exploration: Annotated[float, Field(strict=True, gt=0, le=0.9)] | None = None
    """Share of uniform draws, and the pace at which weights change.

    Left out: 0.2, or with fewer members B than categories C, sqrt(C ln(C/B) / ((e-1) B T/10)) for T intervals.
    """
    sharing: Annotated[float, Field(strict=True, ge=0, le=0.5)] | None = None
    """Share of all weight that is spread evenly at each interval, so that a category can come back.

    Left out: 1 / T for T intervals.
    """


class PB2FamilySpec(Evolving):
    """What the methods of the family have in common."""

    selection: TruncationSelection = TruncationSelection(name="truncation")
    window: Annotated[int, Field(strict=True, ge=8, le=LARGEST_WINDOW)] = USUAL_WINDOW
    """Latest member-intervals that the model remembers. Its cost grows with the third power of this, or of what the
    whole run has of them where that is less."""
    optimism: OptimismSpec = OptimismSpec()


class PB2Spec(PB2FamilySpec):
    """PB2 (Parker-Holder et al. 2020): numbers by a time-varying Gaussian process bandit."""

    name: Literal["pb2"]


class PB2RandSpec(PB2FamilySpec):
    """Categories as PBT has them, numbers as PB2 does, blind to categories. The baseline of those below."""

    name: Literal["pb2_rand"]
    keep_category: Probability = 0.5
    """How likely a copy inherits a category; else it is drawn from all of them, all alike."""


class PB2FixedSpec(PB2FamilySpec):
    """A control: each member keeps the categories that it drew, whomever it copies; numbers as in `pb2_rand`."""

    name: Literal["pb2_fixed"]


class PB2IndepSpec(PB2FamilySpec):
    """Categories by bandit, numbers independently of them: `exp3_indep` of Parker-Holder et al. 2021."""

    name: Literal["pb2_indep"]
    bandit: BanditSpec = BanditSpec()


class PB2MultSpec(PB2FamilySpec):
    """PB2-Mult (Parker-Holder et al. 2021): categories by bandit, numbers by a model of the chosen category alone."""

    name: Literal["pb2_mult"]
    bandit: BanditSpec = BanditSpec()


class PB2MixSpec(PB2FamilySpec):
    """PB2-Mix (Parker-Holder et al. 2021): categories by bandit, numbers by one model of numbers and categories."""

    name: Literal["pb2_mix"]
    bandit: BanditSpec = BanditSpec()


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, PB2FamilySpec)
    if method.window < size:
        yield Problem(
            path="population.method.window",
            value=method.window,
            message=f"smaller than the population of {size}, so not even one interval of each member is remembered",
            remedy=f"use at least {size}; {USUAL_WINDOW} is usual",
        )
    if method.unit == "seconds" and hasattr(method, "bandit"):
        yield Problem(
            path="population.method.unit",
            value=method.unit,
            message="the pace of the bandit follows from the number of intervals, unknown by the clock",
            remedy="use steps or updates",
        )

    updates = updates_of_an_interval(spec)
    if spec.resets is not None and updates is not None and spec.resets.interval <= updates:
        yield Problem(
            path="resets.interval",
            value=spec.resets.interval,
            message=f"every interval of {method.name} ({updates:,} updates) has a reset, so none says what was gained",
            remedy=f"reset after more than {updates:,} updates, shorten population.method.interval, or use pbt",
        )


def updates_of_an_interval(spec: "ExperimentSpec") -> int | None:
    """None where the spec does not say it."""
    method = spec.population.method
    assert isinstance(method, PB2FamilySpec)
    if method.unit == "updates":
        return method.interval
    return round(method.interval * spec.replay.ratio) if method.unit == "steps" and spec.replay else None


def _defaults(size: int) -> dict[str, int]:
    """Every interval of each member is remembered at least once."""
    return {"window": min(LARGEST_WINDOW, max(USUAL_WINDOW, size))}


def _description(
    spec: type[PB2FamilySpec], title: str, summary: str, choices: Literal["required", "refused"] = "required"
) -> MethodDescription:
    name = title.lower().replace("-", "_")
    return MethodDescription(
        spec=spec,
        engine=f"phylon.worker.population.pb2.methods:{name}",
        title=title,
        summary=summary,
        tuning="required",
        choices=choices,
        smallest_size=2,
        follows_budget=True,
        defaults=_defaults,
        problems=_problems,
    )


PB2 = _description(
    PB2Spec,
    "PB2",
    "PBT whose exploration is a Gaussian process bandit over numbers (Parker-Holder et al. 2020).",
    choices="refused",
)
PB2_RAND = _description(
    PB2RandSpec,
    "PB2-Rand",
    "PB2 with categories inherited or drawn, as PBT has them: the baseline of PB2-Mult and PB2-Mix.",
)
PB2_FIXED = _description(
    PB2FixedSpec,
    "PB2-Fixed",
    "Control: PB2 whose members keep the categories they drew. How much is choosing categories worth?",
)
PB2_INDEP = _description(
    PB2IndepSpec,
    "PB2-Indep",
    "PB2 with categories by a bandit, and a model blind to them: `exp3_indep` (Parker-Holder et al. 2021).",
)
PB2_MULT = _description(
    PB2MultSpec,
    "PB2-Mult",
    "PB2 with categories by a bandit, and a model of each category alone (Parker-Holder et al. 2021).",
)
PB2_MIX = _description(
    PB2MixSpec,
    "PB2-Mix",
    "PB2 with categories by a bandit, and one model of numbers and categories (Parker-Holder et al. 2021).",
)
