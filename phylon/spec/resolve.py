"""From what someone wrote to what will run: short forms are spelled out, gaps filled, lengths moved to where they fit.

What was written stays, or is moved to the next value that fits, with a note. What was left out is never the problem. A
resolved spec says everything, resolves to itself, and is what a run keeps: later defaults do not change it.
"""

import difflib
import re
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from phylon.catalogue import EnvironmentEntry, entries
from phylon.catalogue.offers import find_offer
from phylon.registry import algorithms, methods, suites
from phylon.registry.descriptions import AlgorithmDescription, MethodDescription, name_of
from phylon.spec.algorithms.observations import candidate_networks
from phylon.spec.distributions import has_distribution
from phylon.spec.draft import Draft
from phylon.spec.entries import entry_of
from phylon.spec.environment import EnvironmentSpec, SpacesSpec, module_of
from phylon.spec.experiment import ACCEPTED, ExperimentSpec
from phylon.spec.lengths import Parts, settle_lengths
from phylon.spec.methods.independent import IndependentSpec
from phylon.spec.methods.pbt import PBTSpec
from phylon.spec.problems import Note, SpecInvalid, problems_of, showable
from phylon.spec.quantities import is_duration, read_count, read_duration
from phylon.spec.reading import invalid, read_yaml, to_yaml
from phylon.spec.selection import TruncationSelection
from phylon.spec.start import expand_start
from phylon.spec.upgrade import upgrade

SHORT_FORMS = {
    "environment": "id",
    "algorithm": "name",
    "algorithm.learning_rate_decay": "shape",
    "population": "size",
    "population.method": "name",
    "population.method.selection": "name",
    "population.method.explore": "name",
    "population.method.fitness": "name",
    "population.method.coefficient": "name",
    "budget": "env_steps",
    "budget.plateau": "evaluations",
    "evaluation": "interval",
    "metrics": "interval",
    "checkpoint": "interval",
    "checkpoint.keep": "last",
    "resets": "interval",
    "videos": "interval",
    "execution": "strategy",
}
"""By section: the field that a text or a number in its place means."""

USUAL_SIZE = 8


class Resolved(NamedTuple):
    spec: ExperimentSpec
    notes: list[Note]


def resolve(written: Any, context: object = None) -> Resolved:
    """What a document means, from plain data (JSON or YAML). Raises `SpecInvalid` with every problem found."""
    if not isinstance(written, dict):
        remedy = "write at least the fields environment, algorithm and budget"
        raise invalid("a spec is a mapping of fields", remedy, showable(written))
    draft = Draft(expand(upgrade(cast(dict[str, Any], written))))
    _complete(draft)
    try:
        spec = ExperimentSpec.model_validate(draft.document, context=context)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, ExperimentSpec, draft.document)) from None
    return Resolved(spec, draft.notes)


def parse_spec(written: Any) -> ExperimentSpec:
    return resolve(written).spec


def parse_accepted(stored: Any) -> ExperimentSpec:
    """The spec of a run that was accepted once, to read its results; a rule that came later does not hide them."""
    return resolve(stored, ACCEPTED).spec


def parse_yaml(text: str) -> ExperimentSpec:
    return parse_spec(read_yaml(text))


def spec_to_json(spec: ExperimentSpec) -> dict[str, Any]:
    return spec.model_dump(mode="json")


def spec_to_yaml(spec: ExperimentSpec) -> str:
    return to_yaml(spec_to_json(spec))


def expand(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its short forms spelled out, so that every path leads to a field."""
    draft = Draft(document)
    if is_duration(draft.get("budget")):
        draft.put("budget", {"seconds": draft.get("budget")})
    for path, field in SHORT_FORMS.items():
        value = draft.get(path)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            draft.put(path, {field: value})
    if draft.has("population.start"):
        draft.put("population.start", expand_start(draft.get("population.start")))
    _expand_seconds(draft)
    return draft.document


def _expand_seconds(draft: Draft) -> None:
    """`interval: 60s` is `interval: 60` with `unit: seconds`; other units contradict it, and their check says so."""
    method = "population.method"
    if is_duration(draft.get(f"{method}.interval")):
        draft.fill(f"{method}.unit", "seconds")
    if draft.get(f"{method}.unit") == "seconds":
        for path in (f"{method}.interval", f"{method}.burn_in"):
            if draft.has(path):
                draft.put(path, read_count(read_duration(draft.get(path))))


def _complete(draft: Draft) -> None:
    draft.fill("version", 2)
    draft.fill("kind", "training")
    entry = _settle_environment(draft)
    algorithm = algorithms().get(str(draft.get("algorithm.name")))
    if algorithm is not None and entry is not None:
        _settle_network(draft, algorithm, entry)
    method, size = _settle_population(draft)
    settle_lengths(draft, Parts(algorithm, method, entry, size))
    if algorithm is not None and entry is not None:
        _settle_evaluation_policy(draft, algorithm, entry)
    if method is not None:
        _settle_selection(draft, method)
    if isinstance(draft.get("population.method.fitness"), dict):
        draft.fill("population.method.fitness.name", "last")
    _settle_search(draft, algorithm, method)
    _note_clock(draft)
    draft.fill("name", _make_name(draft))


def _note_clock(draft: Draft) -> None:
    """What depends on how fast a machine happens to be is said before it runs."""
    repeatable = "the run cannot be repeated exactly; its history has the step"
    if draft.get("budget.seconds") is not None:
        message = f"the run may end by the clock, so {repeatable} at which it ended"
        draft.notes.append(Note(path="budget.seconds", message=message))
    if draft.get("population.method.unit") == "seconds":
        message = f"selections happen by the clock, so {repeatable} of each; `phylon schedule` writes one to repeat"
        draft.notes.append(Note(path="population.method.interval", message=message))


def _settle_environment(draft: Draft) -> EnvironmentEntry | None:
    id = draft.get("environment.id")
    if not isinstance(id, str):
        return None
    if not draft.has("environment.suite"):
        draft.put("environment.suite", _find_suite(draft, id))
    _record_spaces(draft, str(draft.get("environment.suite")), id)
    try:
        entry = entry_of(EnvironmentSpec.model_validate(draft.section("environment")))
    except ValidationError:
        return None
    if entry is None:
        return None
    options = suites()[entry.suite].family(entry.family).options
    if options and draft.get(f"environment.{options}") is None:
        draft.put(f"environment.{options}", {})
    return entry


def _record_spaces(draft: Draft, suite: str, id: str) -> None:
    """The description from where the environment is installed stays with the spec: later readers may lack it."""
    found = find_offer(suite, id, draft.section("environment.options"))
    if found is not None and draft.get("environment.spaces") is None:
        spaces = found.model_dump(mode="json", include=set(SpacesSpec.model_fields))
        draft.put("environment.spaces", spaces)


def _find_suite(draft: Draft, id: str) -> str:
    if module_of(id):
        return _usual_suite()
    found = _suites_with(id)
    if not found:  # its id has a problem, whose remedy names similar ones of one suite: that of the most similar one
        similar = difflib.get_close_matches(id, [entry.id for entry in entries()], n=1)
        return next(iter(_suites_with(*similar)), _usual_suite())
    suite = _usual_suite() if _usual_suite() in found else found[0]
    if len(found) > 1:
        others = ", ".join(other for other in found if other != suite)
        message = f"{suite} is used; {others} {'has' if len(found) == 2 else 'have'} it too"
        draft.notes.append(Note(path="environment.suite", message=message))
    return suite


def _usual_suite() -> str:
    return next(suite.name for suite in suites().values() if suite.is_usual)


def _suites_with(*ids: str) -> list[str]:
    return [entry.suite for entry in entries() if entry.id in ids]


def _settle_network(draft: Draft, algorithm: AlgorithmDescription, entry: EnvironmentEntry) -> None:
    """The first network that fits the observations; what was written of it stays."""
    if "network" not in algorithm.spec.model_fields:
        return
    written = draft.section("algorithm.network")
    for network in candidate_networks(written, entry.observation):
        try:
            spec = algorithm.spec.model_validate({"name": algorithm.name, **({"network": network} if network else {})})
        except ValidationError:
            continue
        if algorithm.observes(spec, entry.observation) is None:
            if network != written:
                draft.put("algorithm.network", network)
            return


def _settle_population(draft: Draft) -> tuple[MethodDescription | None, int]:
    """Alone, a member is independent; several, or fields of a method without its name, mean PBT."""
    has_method = draft.has("population.method")
    size, default = draft.count("population.size"), USUAL_SIZE if has_method else 1
    usual = PBTSpec if has_method or (size or default) > 1 else IndependentSpec
    draft.fill("population.method.name", name_of(usual))
    method = methods().get(str(draft.get("population.method.name")))
    if method is None:
        draft.fill("population.size", default)
        return None, size or default
    if size is None:
        size = max(1 if method.name == name_of(IndependentSpec) else default, method.smallest_size)
    for field, value in method.defaults(size).items():
        draft.fill(f"population.method.{field}", value)
    multiple = _size_multiple(draft, method)
    if not draft.has("population.size"):
        draft.put("population.size", size := -(-size // multiple) * multiple)
    elif size % multiple and draft.count("population.size"):
        reason = f"not a multiple of {multiple}, and {method.name} divides the population into equal parts"
        draft.move("population.size", size := -(-size // multiple) * multiple, reason)
    return method, size


def _size_multiple(draft: Draft, method: MethodDescription) -> int:
    filled = {"interval": 1} if "interval" in method.spec.model_fields else {}  # any will do here
    try:
        return method.size_multiple(method.spec.model_validate(filled | draft.section("population.method")))
    except ValidationError:
        return 1


def _settle_selection(draft: Draft, method: MethodDescription) -> None:
    """Nobody is copied and replaced at once: where much is copied from, less is replaced."""
    path = "population.method.selection"
    if "selection" not in method.spec.model_fields or draft.get(f"{path}.name") not in (None, "truncation"):
        return
    draft.fill(f"{path}.name", "truncation")
    usual = TruncationSelection(name="truncation")
    top = draft.get(f"{path}.top")
    rest = 1 - top if isinstance(top, float) and 0 < top < 1 else usual.bottom
    draft.fill(f"{path}.bottom", min(usual.bottom, rest))


def _settle_search(draft: Draft, algorithm: AlgorithmDescription | None, method: MethodDescription | None) -> None:
    """A method that tunes gets the recommended search space, unless a distribution was written or `search` forbids it.

    Afterwards all that is tuned is written down, so there is nothing left to search for.
    """
    fields, wanted = draft.section("algorithm"), draft.get("search")
    if wanted not in (None, "recommended", "none"):
        return
    draft.put("search", "none")
    if algorithm is None or method is None or wanted == "none" or (wanted is None and has_distribution(fields)):
        return
    space = method.search_space(algorithm) or (algorithm.search_space if wanted else {})
    try:
        unread = algorithm.unread(algorithm.spec.model_validate(fields))
    except ValidationError:
        return
    for name, distribution in space.items():
        if name not in unread:
            draft.fill(f"algorithm.{name}", distribution.model_dump(mode="json"))


def _settle_evaluation_policy(draft: Draft, algorithm: AlgorithmDescription, entry: EnvironmentEntry) -> None:
    """As the references of the environment's family evaluate."""
    family = suites()[entry.suite].family(entry.family)
    is_sampled = algorithm.is_stochastic and family.is_policy_sampled
    draft.fill("evaluation.policy", "sample" if is_sampled else "mode")
    has_choice = entry.action.kind == "discrete" and not algorithm.is_stochastic
    draft.fill("evaluation.epsilon", family.epsilon if has_choice else 0.0)


def _make_name(draft: Draft) -> str:
    parts = (draft.get(path) for path in ("algorithm.name", "population.method.name", "environment.id"))
    text = "-".join(str(part) for part in parts if part is not None)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100] or "experiment"
