"""Checks that need more than one field. Each yields problems that name the field to change."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from phylon.catalogue import closest, find
from phylon.spec.algorithms import DrACSpec, PPOSpec, SACSpec, ToySpec, tuned
from phylon.spec.distributions import bounds
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.execution_checks import EXECUTION_CHECKS
from phylon.spec.joint import JOINT_CHECKS
from phylon.spec.mf_pbt import MFPBTSpec
from phylon.spec.pb2 import PB2FamilySpec
from phylon.spec.pb2_checks import family_fits_what_is_tuned, window_holds_a_round
from phylon.spec.population import NoOpSpec, PBTSpec, RandomSearchSpec
from phylon.spec.problems import Problem, showable
from phylon.spec.schedule_method import ScheduleSpec, schedule_problems
from phylon.spec.resets import resettable_parts
from phylon.spec.segments import segment_steps
from phylon.spec.selection import NoSelection, TruncationSelection, donors, replaced_members
from phylon.spec.toy_checks import toys_climb_their_own_problem
from phylon.spec.video_checks import VIDEO_CHECKS

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def cross_field_problems(spec: "ExperimentSpec") -> list[Problem]:
    return [problem for check in CHECKS for problem in check(spec)]


def _problem(path: str, value: Any, message: str, remedy: str) -> Problem:
    return Problem(path=path, value=value, message=message, remedy=remedy)


def environment_is_known(spec: "ExperimentSpec") -> Iterator[Problem]:
    environment = spec.environment
    if find(environment.suite, environment.id) is None:
        names = closest(environment.suite, environment.id)
        remedy = (
            f"did you mean {' or '.join(names)}?" if names else f"see `phylon environments --suite {environment.suite}`"
        )
        if ":" in environment.id:
            remedy = "module-qualified ids run code of that module and are refused; use an id of the catalogue"
        yield _problem("environment.id", environment.id, f"unknown environment in suite '{environment.suite}'", remedy)


def options_fit_environment(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Options that nothing would read are refused rather than ignored."""
    environment = spec.environment
    entry = find(environment.suite, environment.id)
    if entry is None:
        return
    options = {"atari": environment.atari, "procgen": environment.procgen}
    for family, option in options.items():
        if option is not None and (entry.suite, entry.family) != ("envpool", family):
            yield _problem(
                f"environment.{family}",
                option.model_dump(mode="json"),
                f"{entry.id} of suite '{entry.suite}' is no {family} game of envpool",
                f"leave it out, or choose one of `phylon environments --suite envpool --search {family}`",
            )
    if environment.stepping != "auto" and environment.suite != "gymnasium":
        yield _problem(
            "environment.stepping",
            environment.stepping,
            f"suite '{environment.suite}' has its own way of stepping",
            "leave it out: only gymnasium environments have a choice",
        )


CONTINUOUS_ONLY = ("td3", "sac", "ddpg")
DISCRETE_ONLY = ("dqn",)


def algorithm_fits_environment(spec: "ExperimentSpec") -> Iterator[Problem]:
    entry, algorithm = find(spec.environment.suite, spec.environment.id), spec.algorithm
    if entry is None or entry.suite == "toy" or isinstance(algorithm, ToySpec):  # see `toys_climb_their_own_problem`
        return
    needed = "box" if algorithm.name in CONTINUOUS_ONLY else "discrete" if algorithm.name in DISCRETE_ONLY else None
    if entry.action.kind == "other" or (needed and entry.action.kind != needed):
        kind = {"box": "continuous", "discrete": "discrete", None: "continuous or discrete"}[needed]
        yield _problem(
            "algorithm.name",
            algorithm.name,
            f"{algorithm.name} needs {kind} actions, but {entry.id} has {entry.action.describe()}",
            f"choose an environment with {kind} actions, or another algorithm",
        )
    axes = 1 if algorithm.network.kind == "mlp" else 3
    if entry.observation.kind != "box" or len(entry.observation.shape) != axes:
        form = "a flat vector of observations" if axes == 1 else "images"
        yield _problem(
            "environment.id",
            entry.id,
            f"network.kind {algorithm.network.kind} needs {form}, but {entry.id} has {entry.observation.describe()}",
            f"choose an environment that gives {form}, or another algorithm.network.kind",
        )
    elif algorithm.name == "drac" and not _is_square_and_coloured(entry.observation.shape):
        yield _problem(
            "environment.id",
            entry.id,
            f"drac augments square colour images, but {entry.id} has {entry.observation.describe()}",
            "choose an environment with such images, e.g. a procgen game of envpool, or use ppo",
        )


def _is_square_and_coloured(shape: tuple[int, ...]) -> bool:
    return len(shape) == 3 and shape[0] == shape[1] and shape[2] == 3


def truncation_replaces_someone(spec: "ExperimentSpec") -> Iterator[Problem]:
    size, selection = spec.population.size, getattr(spec.population.method, "selection", None)
    if not isinstance(selection, TruncationSelection):
        return
    replaced = replaced_members(size, selection)
    if replaced < 1:
        larger = f"use a population of at least {math.ceil(1 / selection.bottom - 1e-9)}"
        yield _problem(
            "population.method.selection.bottom",
            selection.bottom,
            f"truncation would replace no member: {selection.bottom} of {size} is less than one",
            f"{larger}, or a bottom share of at least {math.ceil(1000 / size) / 1000}" if size > 1 else larger,
        )
    elif replaced + donors(size, selection) > size:
        yield _problem(
            "population.method.selection.top",
            selection.top,
            "the replaced and the copied members overlap",
            "keep bottom + top at most 1",
        )


def somebody_changes(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Where nobody is replaced, nothing would ever happen unless everyone explores."""
    method = spec.population.method
    if not isinstance(method, PBTSpec | NoOpSpec) or not isinstance(method.selection, NoSelection):
        return
    if isinstance(method, NoOpSpec) or method.explorers == "children":
        yield _problem(
            "population.method.selection.name",
            method.selection.name,
            "nobody is replaced and nobody explores, so the population would never change",
            "use pbt with explorers: everyone, or the method independent",
        )


def something_is_tuned(spec: "ExperimentSpec") -> Iterator[Problem]:
    method = spec.population.method
    if isinstance(method, PBTSpec | PB2FamilySpec | RandomSearchSpec) and not tuned(spec.algorithm):
        yield _problem(
            "algorithm",
            spec.algorithm.name,
            f"{method.name} has nothing to tune: every hyper-parameter is a fixed number",
            "give at least one a distribution, e.g. policy_learning_rate: {log_uniform: [3.0e-5, 3.0e-3]}",
        )


def parts_have_quarters(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, size = spec.population.method, spec.population.size
    if isinstance(method, MFPBTSpec) and size % (4 * len(method.frequencies)):
        parts = len(method.frequencies)
        yield _problem(
            "population.size",
            size,
            f"mf_pbt has {parts} parts of equal quarters, so the size must be a multiple of {4 * parts}",
            f"use {max(1, round(size / (4 * parts))) * 4 * parts}, or other frequencies",
        )


def schedule_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    if isinstance(spec.population.method, ScheduleSpec):
        yield from schedule_problems(spec.population.method, spec.algorithm, segment_steps(spec))


def operators_move_something(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, names = spec.population.method, tuned(spec.algorithm)
    for name in method.operators if isinstance(method, PBTSpec) else ():
        if name not in names:
            yield _problem(
                f"population.method.operators.{name}",
                name,
                f"{spec.algorithm.name} does not tune it, so there is nothing to move",
                f"use some of: {', '.join(names)}" if names else "leave it out",
            )


def founders_are_members(spec: "ExperimentSpec") -> Iterator[Problem]:
    names, size = tuned(spec.algorithm), spec.population.size
    for name, values in spec.population.founders.items():
        path = f"population.founders.{name}"
        if name not in names:
            remedy = f"use some of: {', '.join(names)}" if names else "leave it out"
            yield _problem(path, name, f"{spec.algorithm.name} does not tune it", remedy)
            continue
        if len(values) != size:
            yield _problem(
                path, list(values), f"{len(values)} values for {size} members", "write one value for each member"
            )
        low, high = bounds(names[name])
        for value in values:
            if not low <= value <= high:
                yield _problem(path, value, f"leaves the bounds [{low:g}, {high:g}]", f"change it, or algorithm.{name}")


def policies_can_be_copied(spec: "ExperimentSpec") -> Iterator[Problem]:
    copying = getattr(spec.population.method, "copying", None)
    if not isinstance(copying, CopySpec):
        return
    if copying.what == "policy" and spec.algorithm.name not in CONTINUOUS_ONLY:
        yield _problem(
            "population.method.copying.what",
            copying.what,
            f"the policy of {spec.algorithm.name} is no part of its own that could be copied without the rest",
            f"use agent, or one of the algorithms {', '.join(CONTINUOUS_ONLY)}",
        )
    if copying.replay and spec.algorithm.learns_from == "rollout":
        yield _problem(
            "population.method.copying.replay",
            copying.replay,
            f"{spec.algorithm.name} keeps no replay",
            "leave it out",
        )


def tuned_numbers_are_read(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A number that structure switches off must not look as if a method could tune it."""
    unread = spec.algorithm.unread() if isinstance(spec.algorithm, SACSpec) else ()
    for name, distribution in tuned(spec.algorithm).items():
        if name in unread:
            yield _problem(
                f"algorithm.{name}",
                showable(distribution.model_dump(mode="json")),
                "nothing reads it where the temperature is fixed",
                "leave it out, write a number, or write temperature: adaptive",
            )


def intervals_are_whole_segments(spec: "ExperimentSpec") -> Iterator[Problem]:
    segment = segment_steps(spec)
    is_rollout = spec.algorithm.learns_from == "rollout"
    origin = "algorithm.rollout_steps x environment.envs_per_member" if is_rollout else "execution.segment_steps"
    steps = {
        "budget.env_steps": spec.budget.env_steps,
        "evaluation.interval": spec.evaluation.interval,
        "metrics.interval": spec.metrics.interval,
        "checkpoint.interval": spec.checkpoint.interval,
    }
    if spec.replay is not None:
        steps["replay.warmup"] = spec.replay.warmup
    method = spec.population.method
    if isinstance(method, Evolving) and method.unit == "steps":
        steps["population.method.interval"] = method.interval
    for path, value in steps.items():
        if value % segment:
            yield _problem(
                path,
                value,
                f"not a multiple of {origin} ({segment})",
                f"use {max(segment, round(value / segment) * segment)}, or change {origin}",
            )


def segment_holds_whole_steps_and_updates(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.replay is None:
        return
    segment = segment_steps(spec)
    if segment % spec.environment.envs_per_member:
        yield _problem(
            "environment.envs_per_member",
            spec.environment.envs_per_member,
            f"does not divide execution.segment_steps ({segment})",
            "make segment_steps a multiple of it",
        )
    updates = segment * spec.replay.ratio
    if abs(updates - round(updates)) > 1e-9 or round(updates) < 1:
        yield _problem(
            "replay.ratio",
            spec.replay.ratio,
            f"gives {updates:g} updates for a segment of {segment} steps, which is not a whole number",
            "choose ratio and execution.segment_steps so that their product is a whole number of at least 1",
        )


def rollouts_stand_alone(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Fields that an algorithm without a replay would ignore are refused."""
    algorithm = spec.algorithm
    if algorithm.learns_from == "replay":
        return
    if spec.replay is not None:
        remedy = "leave it out; algorithm.rollout_steps says how much is gathered for each update"
        yield _problem("replay", spec.replay.model_dump(), f"{algorithm.name} keeps no replay", remedy)
    if spec.execution.segment_steps is not None:
        yield _problem(
            "execution.segment_steps",
            spec.execution.segment_steps,
            f"a segment of {algorithm.name} is one rollout",
            "leave it out, and set algorithm.rollout_steps",
        )
    if spec.execution.overlap:
        yield _problem(
            "execution.overlap",
            True,
            f"{algorithm.name} learns from what its present policy does, so it cannot learn while that goes on",
            "leave it out, or use an algorithm with a replay",
        )
    transitions = segment_steps(spec)
    if isinstance(algorithm, PPOSpec | DrACSpec) and transitions % algorithm.minibatches:
        yield _problem(
            "algorithm.minibatches",
            algorithm.minibatches,
            f"does not divide the {transitions} transitions of a rollout",
            "make rollout_steps x envs_per_member a multiple of it",
        )


def selection_follows_evaluation(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Selection ranks by an evaluation of the very weights that it copies, never by an older one."""
    method = spec.population.method
    if not isinstance(method, Evolving) or method.unit == "updates":  # after so many updates members are evaluated anew
        return
    interval, evaluation = method.interval, spec.evaluation.interval
    if interval % evaluation:
        yield _problem(
            "population.method.interval",
            interval,
            f"not a multiple of evaluation.interval ({evaluation}), so selection would rank by stale fitness",
            f"use {max(evaluation, round(interval / evaluation) * evaluation)}, or change evaluation.interval",
        )


def resets_have_parts(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.resets is None:
        return
    known = resettable_parts(spec.algorithm)
    if not known:
        yield _problem(
            "resets", showable(spec.resets.model_dump()), f"{spec.algorithm.name} cannot be reset", "leave it out"
        )
    for part in spec.resets.parts or ():
        if known and part not in known:
            yield _problem(
                "resets.parts", part, f"{spec.algorithm.name} has no part '{part}'", f"use some of {', '.join(known)}"
            )


def warmup_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.replay is None or spec.algorithm.learns_from == "rollout":
        return
    warmup, budget = spec.replay.warmup, spec.budget.env_steps
    if warmup >= budget:
        yield _problem(
            "replay.warmup",
            warmup,
            f"the whole budget of {budget} steps would be random actions",
            "make warmup smaller than budget.env_steps",
        )
    if spec.replay.capacity < spec.algorithm.batch_size:
        yield _problem(
            "replay.capacity",
            spec.replay.capacity,
            f"holds less than one batch of {spec.algorithm.batch_size}",
            "raise replay.capacity or lower algorithm.batch_size",
        )


CHECKS: tuple[Callable[["ExperimentSpec"], Iterator[Problem]], ...] = (
    environment_is_known,
    options_fit_environment,
    algorithm_fits_environment,
    toys_climb_their_own_problem,
    truncation_replaces_someone,
    somebody_changes,
    something_is_tuned,
    family_fits_what_is_tuned,
    window_holds_a_round,
    parts_have_quarters,
    schedule_fits,
    operators_move_something,
    founders_are_members,
    policies_can_be_copied,
    tuned_numbers_are_read,
    intervals_are_whole_segments,
    segment_holds_whole_steps_and_updates,
    rollouts_stand_alone,
    selection_follows_evaluation,
    resets_have_parts,
    *JOINT_CHECKS,
    *EXECUTION_CHECKS,
    *VIDEO_CHECKS,
    warmup_fits,
)
