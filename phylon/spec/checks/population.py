"""What the method asks for, and what is done to members: selected, copied, moved, spread over hosts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.registry import algorithms, methods, suites
from phylon.registry.descriptions import AlgorithmDescription
from phylon.spec.algorithms import tuned
from phylon.spec.distributions import Choice, bounds
from phylon.spec.entries import entry_of
from phylon.spec.environment import ProcgenSpec
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.problems import Problem, problem, showable
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.spec.selection import TruncationSelection

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def method_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    """What the method's description asks for."""
    method, size = describe_method(spec.population.method), spec.population.size
    names = tuned(spec.algorithm)
    if method.tuning == "required" and not names:
        yield problem(
            "algorithm",
            spec.algorithm.name,
            f"{method.name} has nothing to tune: every hyper-parameter is a fixed number",
            _example_of_tuning(spec),
        )
    choices = {name: value for name, value in names.items() if isinstance(value, Choice)}
    if method.choices == "refused":
        for name, choice in choices.items():
            others = [other.name for other in methods().values() if other.choices == "required"]
            yield problem(
                f"algorithm.{name}",
                showable(choice.model_dump(mode="json")),
                f"{method.name} tunes numbers only, and a choice is none",
                f"use {', '.join(others[:-1])} or {others[-1]}, or give it a range or a fixed value",
            )
    elif method.choices == "required" and names and not choices:
        others = [other.name for other in methods().values() if other.choices == "refused"]
        yield problem(
            "population.method.name",
            method.name,
            "nothing that is tuned is a choice",
            f"use {' or '.join(others)}, or give a hyper-parameter a choice",
        )
    yield from method.problems(spec)
    if method.joint is not None and size < method.smallest_size:
        yield problem("population.size", size, f"{method.name} needs others", f"use at least {method.smallest_size}")


def _example_of_tuning(spec: "ExperimentSpec") -> str:
    """With a field that this algorithm has."""
    name, distribution = next(iter(describe_algorithm(spec.algorithm).search_space.items()))
    (kind, value), *_ = distribution.model_dump(mode="json").items()
    return f"give at least one a distribution, e.g. {name}: {{{kind}: {value}}}"


def joint_learning_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Where members share a critic they share a replay, too, and learn in one program."""
    method, algorithm = describe_method(spec.population.method), describe_algorithm(spec.algorithm)
    if method.joint is None:
        return
    if not method.can_train(algorithm):
        names = [other.name for other in algorithms().values() if method.can_train(other)]
        yield problem(
            "algorithm.name", algorithm.name, f"{method.name} is not made for it", f"use {' or '.join(names)}"
        )
        return
    if spec.replay is not None and spec.replay.sharing != "shared":
        yield problem(
            "replay.sharing",
            spec.replay.sharing,
            f"the critic of {method.name} learns from what all members have gathered",
            "write sharing: shared",
        )
    if spec.execution.strategy not in ("auto", "vectorized"):
        yield problem(
            "execution.strategy",
            spec.execution.strategy,
            f"members of {method.name} share a critic, so they learn in one program on one device",
            "use auto or vectorized",
        )
    if spec.resets is not None:
        yield problem("resets", showable(spec.resets.model_dump()), f"{method.name} shares its critic", "leave it out")
    shared = algorithm.shared_critic.numbers if algorithm.shared_critic else ()
    for name, distribution in tuned(spec.algorithm).items():
        if name in shared:
            yield problem(
                f"algorithm.{name}",
                showable(distribution.model_dump(mode="json")),
                f"it belongs to the critic that all members of {method.name} share",
                "write a number",
            )


def truncation_replaces_someone(spec: "ExperimentSpec") -> Iterator[Problem]:
    size, selection = spec.population.size, getattr(spec.population.method, "selection", None)
    if not isinstance(selection, TruncationSelection):
        return
    if size < 2:
        method = spec.population.method.name
        remedy = "use at least 2, or leave the method out"
        yield problem("population.size", size, f"{method} selects among members, and there is only one", remedy)
        return
    if selection.bottom + selection.top > 1 + 1e-9:
        yield problem(
            "population.method.selection.top",
            selection.top,
            "the replaced and the copied members overlap",
            "keep bottom + top at most 1",
        )


def operators_move_something(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, names = spec.population.method, tuned(spec.algorithm)
    for name in getattr(method, "operators", ()):
        if name not in names:
            yield problem(
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
            yield problem(path, name, f"{spec.algorithm.name} does not tune it", remedy)
            continue
        if len(values) != size:
            yield problem(
                path, list(values), f"{len(values)} values for {size} members", "write one value for each member"
            )
        low, high = bounds(names[name])
        for value in values:
            if not low <= value <= high:
                yield problem(path, value, f"leaves the bounds [{low:g}, {high:g}]", f"change it, or algorithm.{name}")


def copies_are_possible(spec: "ExperimentSpec") -> Iterator[Problem]:
    copying, algorithm = getattr(spec.population.method, "copying", None), spec.algorithm
    if not isinstance(copying, CopySpec):
        return
    if copying.what == "policy" and not describe_algorithm(algorithm).state(algorithm).policy:
        able = [other.name for other in algorithms().values() if _has_separable_policy(other)]
        yield problem(
            "population.method.copying.what",
            copying.what,
            f"the policy of {algorithm.name} is no part of its own that could be copied without the rest",
            f"use agent, or one of the algorithms {', '.join(able)}",
        )
    if copying.replay and algorithm.learns_from == "rollout":
        yield problem(
            "population.method.copying.replay", copying.replay, f"{algorithm.name} keeps no replay", "leave it out"
        )
    if copying.replay and spec.replay is not None and spec.replay.sharing == "shared":
        yield problem("population.method.copying.replay", True, "all members share one replay", "leave it out")


def _has_separable_policy(algorithm: AlgorithmDescription) -> bool:
    return bool(algorithm.state(algorithm.spec.model_validate({"name": algorithm.name})).policy)


def fitness_can_be_measured(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A test needs levels that members do not train on."""
    environment, method = spec.environment, spec.population.method
    entry = entry_of(environment)
    if entry is None or not isinstance(method, Evolving) or method.fitness.of != "test":
        return
    levels = (environment.procgen or ProcgenSpec()).levels
    if not suites()[entry.suite].family(entry.family).has_levels or levels == 0:
        yield problem(
            "population.method.fitness.of",
            "test",
            f"{entry.id} has no levels beside those that members train on",
            "use evaluation, or a Procgen game with environment.procgen.levels above 0",
        )


def hosts_have_members(spec: "ExperimentSpec") -> Iterator[Problem]:
    hosts, size = spec.resources.hosts, spec.population.size
    if hosts > size:
        yield problem(
            "resources.hosts",
            hosts,
            f"there are only {size} members, and each host trains a block of them",
            f"use at most {size} hosts, or a larger population",
        )
