"""What the environment, its wrappers and its spaces allow: the algorithm, evaluations, films."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.catalogue import EnvironmentEntry, closest
from phylon.registry import algorithms, suites, wrappers
from phylon.spec.algorithms.observations import observations_of
from phylon.spec.entries import Unwrappable, entries_of, entry_of, plain_entry
from phylon.spec.problems import Problem, problem, showable
from phylon.spec.registered import describe_algorithm, describe_method

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def environment_is_known(spec: "ExperimentSpec") -> Iterator[Problem]:
    environment = spec.environment
    if plain_entry(environment) is None:
        names = closest(environment.suite, environment.id)
        remedy = (
            f"did you mean {' or '.join(names)}?" if names else f"see `phylon environments --suite {environment.suite}`"
        )
        if environment.module is not None:
            remedy = (
                f"where the package is installed, start a worker with `phylon worker --allow {environment.module}`, or "
                "train in the foreground with `phylon train`; a spec carries no code"
            )
        yield problem("environment.id", environment.id, f"unknown environment in suite '{environment.suite}'", remedy)


def options_fit_environment(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Options that nothing would read are refused rather than ignored."""
    environment = spec.environment
    entry = plain_entry(environment)
    if entry is None:
        return
    own = suites()[entry.suite].family(entry.family).options
    for suite in suites().values():
        for family, description in suite.families.items():
            option = getattr(environment, description.options) if description.options else None
            if option is not None and description.options != own:
                yield problem(
                    f"environment.{description.options}",
                    option.model_dump(mode="json"),
                    f"{entry.id} of suite '{entry.suite}' is no {family} game of {suite.name}",
                    f"leave it out, or choose one of `phylon environments --suite {suite.name} --search {family}`",
                )
    if environment.stepping != "auto" and not suites()[environment.suite].has_stepping:
        having = ", ".join(suite.name for suite in suites().values() if suite.has_stepping)
        yield problem(
            "environment.stepping",
            environment.stepping,
            f"suite '{environment.suite}' has its own way of stepping",
            f"leave it out: only {having} environments have a choice",
        )
    if environment.options and not suites()[environment.suite].has_options:
        having = ", ".join(suite.name for suite in suites().values() if suite.has_options)
        yield problem(
            "environment.options",
            showable(environment.options),
            f"environments of suite '{environment.suite}' take no options",
            f"leave them out: only {having} environments have some",
        )
    if environment.module is not None and not suites()[environment.suite].has_options:
        yield problem(
            "environment.suite",
            environment.suite,
            "an environment of your own is made by Gymnasium",
            "leave the suite out",
        )


def wrappers_fit(spec: "ExperimentSpec") -> Iterator[Problem]:
    environment = spec.environment
    suite, is_pooled = suites()[environment.suite], False
    for place, wrapper in enumerate(environment.wrappers):
        path, form = f"environment.wrappers.{place}", wrappers()[wrapper.name].form_in(suite)
        if form is None:
            having = [name for name, other in suites().items() if wrappers()[wrapper.name].form_in(other)]
            others = [name for name, other in wrappers().items() if other.form_in(suite)]
            yield problem(
                path,
                wrapper.name,
                f"{wrapper.name} cannot be put around environments of suite '{suite.name}'",
                f"use a suite that can ({', '.join(having)}), or a wrapper that can ({', '.join(others)})",
            )
        if form == "single" and is_pooled:
            yield problem(
                path,
                wrapper.name,
                f"{wrapper.name} counts the environment's own steps, and cannot lie around what changes a whole pool",
                "put it first",
            )
        is_pooled = is_pooled or form == "pool"
    found = entries_of(environment)
    if isinstance(found, Unwrappable):
        name = environment.wrappers[found.place].name
        yield problem(f"environment.wrappers.{found.place}", name, *found.refusal)


ACTIONS = {"box": "continuous", "discrete": "discrete", "multi_discrete": "multi-discrete"}


def algorithm_fits_environment(spec: "ExperimentSpec") -> Iterator[Problem]:
    entry, algorithm = entry_of(spec.environment), spec.algorithm
    if entry is None:
        return
    description = describe_algorithm(algorithm)
    residents = [other.name for other in algorithms().values() if other.home == (entry.suite, entry.id)]
    if description.home not in (None, (entry.suite, entry.id)):
        suite, id = description.home
        yield problem(
            "algorithm.name",
            algorithm.name,
            f"{algorithm.name} is a toy for {id} of suite '{suite}' alone",
            f"write environment: {{suite: {suite}, id: {id}}}, or choose another algorithm",
        )
        return
    if residents and algorithm.name not in residents:
        yield problem(
            "environment.suite",
            entry.suite,
            f"there is nothing to learn for {algorithm.name} in {entry.id}: its action is the answer",
            f"use the algorithm {' or '.join(residents)}, or another suite",
        )
        return
    if entry.action.kind not in description.actions:
        kinds = " or ".join(word for kind, word in ACTIONS.items() if kind in description.actions)
        yield problem(
            "algorithm.name",
            algorithm.name,
            f"{algorithm.name} needs {kinds} actions, but {entry.id} has {entry.action.describe()}",
            f"choose an environment with {kinds} actions, or {_algorithms_for(entry)}",
        )
    refusal = description.observes(algorithm, entry.observation)
    if entry.observation.kind == "other":
        yield problem(
            "environment.id",
            entry.id,
            f"its observations are {entry.observation.describe()}, which no algorithm can learn from",
            "give it spaces of fixed size: Box, Discrete, MultiDiscrete, MultiBinary, and Dict or Tuple of them",
        )
    elif refusal is not None:
        yield problem(
            "environment.id",
            entry.id,
            f"{refusal.message}, but {entry.id} has {entry.observation.describe()}",
            refusal.remedy,
        )


def _algorithms_for(entry: EnvironmentEntry) -> str:
    names = [name for name, other in algorithms().items() if entry.action.kind in other.actions and other.home is None]
    if not names:
        return "change its actions: no algorithm here can choose them"
    return f"an algorithm that can choose such actions: {', '.join(names)}"


def observations_can_be_normalised(spec: "ExperimentSpec") -> Iterator[Problem]:
    if not observations_of(spec.algorithm).normalise:
        return
    path, method = "algorithm.observations.normalise", describe_method(spec.population.method)
    entry = entry_of(spec.environment)
    if entry is not None and len(entry.observation.shape) != 1:
        yield problem(
            path,
            True,
            f"{entry.id} shows {entry.observation.describe()}, and only vectors are normalised",
            "leave it out: images are divided by 255 anyway",
        )
    if method.joint is not None:
        yield problem(
            path,
            True,
            f"members of {method.name} share a critic, which would see each one's observations on another scale",
            "leave it out, or use a method whose members learn apart",
        )


def evaluation_policy_is_possible(spec: "ExperimentSpec") -> Iterator[Problem]:
    entry, evaluation = entry_of(spec.environment), spec.evaluation
    if evaluation.policy == "sample" and not describe_algorithm(spec.algorithm).is_stochastic:
        sampling = ", ".join(other.name for other in algorithms().values() if other.is_stochastic)
        yield problem(
            "evaluation.policy",
            evaluation.policy,
            f"the policy of {spec.algorithm.name} is no distribution to sample from",
            f"leave it out; only {sampling} can be evaluated so",
        )
    if evaluation.epsilon > 0 and entry is not None and entry.action.kind != "discrete":
        yield problem(
            "evaluation.epsilon",
            evaluation.epsilon,
            f"{entry.id} has {entry.action.describe()}, and only a discrete action can be replaced by any other",
            "leave it out",
        )


def films_are_possible(spec: "ExperimentSpec") -> Iterator[Problem]:
    videos, size, environment = spec.videos, spec.population.size, spec.environment
    if videos is None:
        return
    if videos.width % 2:  # colour is stored for squares of 2 x 2 pixels
        remedy = f"use {videos.width - 1} or {videos.width + 1}"
        yield problem("videos.width", videos.width, "not an even number", remedy)
    members = () if isinstance(videos.members, str) else videos.members
    for member in members:
        if member >= size:
            yield problem(
                "videos.members",
                member,
                f"the population has {size} members",
                f"use numbers from 0 to {size - 1}, best, or all",
            )
    if len(set(members)) < len(members):
        yield problem("videos.members", showable(members), "a member is named twice", "name each member once")
    entry = entry_of(environment)
    if entry is not None and not entry.is_renderable:
        others = " or ".join(suite.name for suite in suites().values() if suite.is_renderable)
        yield problem(
            "videos",
            showable(videos.model_dump(mode="json")),
            f"{entry.id} of suite '{entry.suite}' cannot be drawn",
            f"leave videos out, or choose an environment that can, e.g. of suite {others}",
        )
