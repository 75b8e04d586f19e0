"""A larger budget for a run that has ended: which runs can go on with it, and what their spec then says."""

from collections.abc import Iterator, Mapping
from typing import Any

from phylon.spec.algorithms.decay import decay_of
from phylon.spec.budget import BudgetSpec
from phylon.spec.experiment import ExperimentSpec
from phylon.spec.registered import describe_method
from phylon.spec.resolve import parse_spec, spec_to_json


class ExtensionRefused(ValueError):
    """The run cannot go on with this budget."""

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}; {remedy}")


def extend(spec: ExperimentSpec, budget: Mapping[str, Any]) -> ExperimentSpec:
    """The resolved spec with these limits in place of its own; null removes one. All else keeps its value, though it
    may once have followed from the budget. Raises `SpecInvalid` where a limit is no limit."""
    raw = spec_to_json(spec)
    extended = parse_spec(raw | {"budget": raw["budget"] | dict(budget)})
    if tighter := list(_tighter_limits(spec.budget, extended.budget)):
        raise ExtensionRefused(
            f"{' and '.join(tighter)} would be tighter than before",
            "name only limits that become looser; null removes one",
        )
    if extended.budget == spec.budget:
        raise ExtensionRefused("the budget is the same as before", "name a limit and a looser value for it")
    if extended.budget.env_steps != spec.budget.env_steps and (refusal := refuse_more_steps(spec)):
        raise refusal
    return extended


def refuse_more_steps(spec: ExperimentSpec) -> ExtensionRefused | None:
    """Why runs of this spec cannot get more steps, if so."""
    parts = list(_parts_that_follow_the_budget(spec))
    if not parts:
        return None
    return ExtensionRefused(
        f"what was trained depends on the budget it was trained for, by {' and '.join(parts)}",
        "submit a new experiment with the larger budget",
    )


def _tighter_limits(old: BudgetSpec, new: BudgetSpec) -> Iterator[str]:
    if new.env_steps < old.env_steps:
        yield "budget.env_steps"
    if new.seconds is not None and (old.seconds is None or new.seconds < old.seconds):
        yield "budget.seconds"
    if new.target_return is not None and (old.target_return is None or new.target_return < old.target_return):
        yield "budget.target_return"
    if new.plateau is not None and (
        old.plateau is None
        or new.plateau.evaluations < old.plateau.evaluations
        or new.plateau.improvement > old.plateau.improvement
    ):
        yield "budget.plateau"


def _parts_that_follow_the_budget(spec: ExperimentSpec) -> Iterator[str]:
    if decay_of(spec.algorithm).shape != "none":
        yield "algorithm.learning_rate_decay"
    if describe_method(spec.population.method).follows_budget:
        yield f"population.method {spec.population.method.name}"
