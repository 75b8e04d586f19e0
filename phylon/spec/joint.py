"""Methods that train a population as one: its members share a critic and a replay. Checks of what they need."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from phylon.spec.algorithms import tuned
from phylon.spec.cem_rl import CEMRLSpec
from phylon.spec.dvd import DvDSpec, ScheduledCoefficient
from phylon.spec.problems import Problem, showable

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

JOINT = (CEMRLSpec, DvDSpec)
SHARED_NUMBERS: dict[str, tuple[str, ...]] = {
    "td3": ("critic_learning_rate", "discount", "target_rate", "policy_delay"),
    "sac": ("critic_learning_rate", "discount", "target_rate", "reward_scale"),
}
"""By algorithm: numbers that one critic has one value of. All others may differ between members."""

ALGORITHMS = {"cem_rl": ("td3", "sac"), "dvd": ("td3",)}


def _problem(path: str, value: Any, message: str, remedy: str) -> Problem:
    return Problem(path=path, value=value, message=message, remedy=remedy)


def joint_methods_get_what_they_need(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, algorithm = spec.population.method, spec.algorithm
    if not isinstance(method, JOINT):
        return
    names = ALGORITHMS[method.name]
    if algorithm.name not in names:
        yield _problem(
            "algorithm.name", algorithm.name, f"{method.name} is not made for it", f"use {' or '.join(names)}"
        )
        return
    if spec.population.size < 2:
        yield _problem("population.size", spec.population.size, f"{method.name} needs others", "use at least 2")
    if spec.replay is not None and spec.replay.sharing != "shared":
        yield _problem(
            "replay.sharing",
            spec.replay.sharing,
            f"the critic of {method.name} learns from what all members have gathered",
            "write sharing: shared",
        )
    if spec.execution.strategy not in ("auto", "vectorized"):
        yield _problem(
            "execution.strategy",
            spec.execution.strategy,
            f"members of {method.name} share a critic, so they learn in one program on one device",
            "use auto or vectorized",
        )
    if spec.resets is not None:
        yield _problem("resets", showable(spec.resets.model_dump()), f"{method.name} shares its critic", "leave it out")
    for name, distribution in tuned(algorithm).items():
        if name in SHARED_NUMBERS[algorithm.name]:
            yield _problem(
                f"algorithm.{name}",
                showable(distribution.model_dump(mode="json")),
                f"it belongs to the critic that all members of {method.name} share",
                "write a number",
            )
    if isinstance(method, CEMRLSpec) and method.fitness.name != "last":
        yield _problem(
            "population.method.fitness.name",
            method.fitness.name,
            "a policy of cem_rl is drawn anew at each interval and has no earlier evaluations",
            "use last",
        )


def coefficients_change_at_intervals(spec: "ExperimentSpec") -> Iterator[Problem]:
    method = spec.population.method
    if not isinstance(method, DvDSpec) or not isinstance(method.coefficient, ScheduledCoefficient):
        return
    if method.unit == "updates":
        yield _problem("population.method.unit", method.unit, "a schedule of coefficients counts steps", "leave it out")
        return
    for place, entry in enumerate(method.coefficient.values):
        path = f"population.method.coefficient.values.{place}.step"
        if entry.step % method.interval:
            nearest = max(1, round(entry.step / method.interval)) * method.interval
            message = f"not a multiple of population.method.interval ({method.interval})"
            yield _problem(path, entry.step, message, f"use {nearest}, or change the interval")
        elif 0 < entry.step < method.burn_in:
            yield _problem(path, entry.step, f"nothing changes before burn_in ({method.burn_in})", "lower burn_in")


def shared_replays_are_not_copied(spec: "ExperimentSpec") -> Iterator[Problem]:
    copying = getattr(spec.population.method, "copying", None)
    if spec.replay is not None and spec.replay.sharing == "shared" and getattr(copying, "replay", False):
        yield _problem("population.method.copying.replay", True, "all members share one replay", "leave it out")


JOINT_CHECKS = (
    joint_methods_get_what_they_need,
    coefficients_change_at_intervals,
    shared_replays_are_not_copied,
)
