"""Checks that need more than one field. Each yields problems that name the field to change.

What an algorithm, a method or a suite can do is asked of its description (`phylon.registry`); what one method alone
needs is checked in that method's own file.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from phylon.catalogue import EnvironmentEntry, closest
from phylon.registry import algorithms, methods, suites, wrappers
from phylon.registry.descriptions import AlgorithmDescription, Refusal
from phylon.spec.algorithms import tuned
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.algorithms.observations import observations_of
from phylon.spec.distributions import Choice, bounds
from phylon.spec.entries import Unwrappable, entries_of, entry_of, plain_entry
from phylon.spec.environment import ProcgenSpec
from phylon.spec.evolving import CopySpec, Evolving
from phylon.spec.placement import device_replay_is_possible
from phylon.spec.problems import Problem, showable
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.spec.segments import segment_steps
from phylon.spec.selection import TruncationSelection
from phylon.spec.start import start_problems
from phylon.spec.when_read import moved_hyperparameters, when_read

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def cross_field_problems(spec: "ExperimentSpec") -> list[Problem]:
    return [found for check in CHECKS for found in check(spec)]


def problem(path: str, value: Any, message: str, remedy: str) -> Problem:
    return Problem(path=path, value=value, message=message, remedy=remedy)


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


ACTIONS = {"box": "continuous", "discrete": "discrete", "multi_discrete": "multi-discrete"}


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


def tuned_numbers_are_read(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A number that nothing reads any more must not look as if a method could tune it.

    These are early answers from descriptions; the trainer finds out from its programs (`phylon.worker.training.reads`).
    """
    unread, names = describe_algorithm(spec.algorithm).unread(spec.algorithm), tuned(spec.algorithm)
    for name, distribution in names.items():
        if name in unread:
            value = showable(distribution.model_dump(mode="json"))
            yield problem(f"algorithm.{name}", value, unread[name].message, unread[name].remedy)
    for name in sorted(moved_hyperparameters(spec) - unread.keys()):
        if when_read(spec, name) == "birth":
            path = f"algorithm.{name}" if name in names else "population.method.schedule"
            value = showable(spec.algorithm.model_dump(mode="json")[name]) if name in names else name
            yield problem(path, value, *refuse_moving(spec.population.method.name))


def refuse_moving(method: str) -> Refusal:
    """Why a hyper-parameter that is read at birth alone is not tuned by this method."""
    return Refusal(
        f"only a new member reads it, so what {method} changes it to would have no effect",
        "write a number, or use random_search, whose members keep what they drew",
    )


def rollouts_stand_alone(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Fields that an algorithm without a replay would ignore are refused."""
    algorithm = spec.algorithm
    if algorithm.learns_from == "replay":
        return
    if spec.replay is not None:
        remedy = "leave it out; algorithm.rollout_steps says how much is gathered for each update"
        yield problem("replay", spec.replay.model_dump(), f"{algorithm.name} keeps no replay", remedy)
    if spec.execution.segment_steps is not None:
        yield problem(
            "execution.segment_steps",
            spec.execution.segment_steps,
            f"a segment of {algorithm.name} is one rollout",
            "leave it out, and set algorithm.rollout_steps",
        )
    if spec.execution.overlap:
        yield problem(
            "execution.overlap",
            True,
            f"{algorithm.name} learns from what its present policy does, so it cannot learn while that goes on",
            "leave it out, or use an algorithm with a replay",
        )


def resets_have_parts(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.resets is None:
        return
    known = tuple(describe_algorithm(spec.algorithm).state(spec.algorithm).parts)
    if not known:
        yield problem(
            "resets", showable(spec.resets.model_dump()), f"{spec.algorithm.name} cannot be reset", "leave it out"
        )
    for part in spec.resets.parts or ():
        if known and part not in known:
            yield problem(
                "resets.parts", part, f"{spec.algorithm.name} has no part '{part}'", f"use some of {', '.join(known)}"
            )


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


def execution_settings_are_read(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Numbers of `execution` that only one strategy reads are refused elsewhere rather than ignored."""
    execution, method = spec.execution, describe_method(spec.population.method)
    if execution.chunk is not None and method.joint is not None:
        yield problem(
            "execution.chunk",
            execution.chunk,
            f"members of {method.name} share a critic, so all of them learn at the same time",
            "leave it out",
        )
    elif execution.chunk is not None and execution.strategy != "vectorized":
        yield problem(
            "execution.chunk",
            execution.chunk,
            f"only vectorized members learn in chunks, and execution.strategy is {execution.strategy}",
            "write strategy: vectorized, or leave it out",
        )
    if execution.processes is not None and execution.strategy != "parallel":
        yield problem(
            "execution.processes",
            execution.processes,
            f"only parallel members learn in several processes, and execution.strategy is {execution.strategy}",
            "write strategy: parallel, or leave it out",
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


def warmup_fits(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.replay is None or spec.algorithm.learns_from == "rollout":
        return
    warmup, budget = spec.replay.warmup, spec.budget.env_steps
    if warmup >= budget:
        yield problem(
            "replay.warmup",
            warmup,
            f"the whole budget of {budget} steps would be random actions",
            "make warmup smaller than budget.env_steps",
        )
    rows = describe_algorithm(spec.algorithm).memory.batch_rows(spec.algorithm, segment_steps(spec))
    if spec.replay.capacity < rows:
        yield problem(
            "replay.capacity",
            spec.replay.capacity,
            f"holds less than one batch of {rows}",
            "raise replay.capacity or lower algorithm.batch_size",
        )
    environments = spec.environment.envs_per_member * (spec.population.size if spec.replay.sharing == "shared" else 1)
    n_step = n_step_of(spec.algorithm)
    if n_step > 1 and spec.replay.capacity < n_step * environments:
        yield problem(
            "algorithm.n_step",
            n_step,
            f"a replay of {spec.replay.capacity} transitions of {environments} environments never holds so many steps",
            f"raise replay.capacity to at least {n_step * environments}, or take fewer steps",
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


CHECKS: tuple[Callable[["ExperimentSpec"], Iterator[Problem]], ...] = (
    environment_is_known,
    options_fit_environment,
    wrappers_fit,
    algorithm_fits_environment,
    evaluation_policy_is_possible,
    observations_can_be_normalised,
    method_fits,
    joint_learning_fits,
    truncation_replaces_someone,
    operators_move_something,
    founders_are_members,
    start_problems,
    copies_are_possible,
    tuned_numbers_are_read,
    rollouts_stand_alone,
    resets_have_parts,
    fitness_can_be_measured,
    execution_settings_are_read,
    device_replay_is_possible,
    films_are_possible,
    warmup_fits,
    hosts_have_members,
)
