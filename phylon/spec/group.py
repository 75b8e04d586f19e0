"""A group: several experiments from one document, each the same base with a few fields changed."""

import copy
import re
from typing import Annotated, Any, Literal, NamedTuple, cast

import yaml
from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from phylon.spec.distributions import Model
from phylon.spec.experiment import ExperimentSpec
from phylon.spec.overrides import PathRefused, put
from phylon.spec.problems import Problem, SpecInvalid, problems_of, showable
from phylon.spec.reading import invalid, parse_spec
from phylon.spec.runtime_study import RuntimeStudySpec, parse_study
from phylon.spec.upgrade import upgrade

LARGEST_GROUP = 200


def _suffix(text: str) -> str:
    """No dots, since it is one step of a problem's path; with a group's name it is no longer than a name may be."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,59}", text):
        remedy = "use letters, digits, '_' and '-', at most 59 of them"
        raise PydanticCustomError("suffix", "an experiment cannot be called by this", {"remedy": remedy})
    return text


def _group_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", text):
        remedy = "use letters, digits, '.', '_' and '-', starting with a letter or digit, at most 40 of them"
        raise PydanticCustomError("group_name", "a group cannot be called so", {"remedy": remedy})
    return text


class GroupSpec(Model):
    """Experiments that belong together. All of them are submitted, or none."""

    version: Literal[1]
    name: Annotated[str, AfterValidator(_group_name)]
    description: Annotated[str, Field(max_length=2000)] = ""
    kind: Literal["group"]
    base: dict[str, Any]
    """What the experiments share: the fields of an experiment, without version, kind and name."""
    experiments: Annotated[
        dict[Annotated[str, AfterValidator(_suffix)], dict[str, Any]], Field(min_length=1, max_length=LARGEST_GROUP)
    ]
    """What is different in each, by dotted path. The key is what its name has after the group's."""


class Group(NamedTuple):
    spec: GroupSpec
    experiments: dict[str, ExperimentSpec]
    """Complete and valid, by the part of their name after the group's."""


Document = ExperimentSpec | Group | RuntimeStudySpec


def parse_document(raw: Any) -> Document:
    """An experiment, a group or a runtime study, whichever `kind` says. Raises `SpecInvalid`."""
    match cast(dict[str, Any], raw).get("kind") if isinstance(raw, dict) else None:
        case "group":
            return parse_group(raw)
        case "runtime_study":
            return parse_study(raw)
        case _:
            return parse_spec(raw)


def parse_group(raw: Any) -> Group:
    """Raises `SpecInvalid` with every problem found, each at the part of the group that causes it."""
    if not isinstance(raw, dict):
        raise invalid("a group is a mapping of fields", "start with 'version: 1'", showable(raw))
    lifted = upgrade(cast(dict[str, Any], raw))
    try:
        spec = GroupSpec.model_validate(lifted)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, GroupSpec, lifted)) from None
    return Group(spec, _expand(spec))


def group_to_yaml(group: Group) -> str:
    return yaml.safe_dump(group.spec.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def _expand(spec: GroupSpec) -> dict[str, ExperimentSpec]:
    experiments: dict[str, ExperimentSpec] = {}
    found: dict[str, list[Problem]] = {suffix: [] for suffix in spec.experiments}
    for suffix, changes in spec.experiments.items():
        try:
            experiments[suffix] = parse_spec(_document(spec, suffix, changes))
        except SpecInvalid as error:
            found[suffix] = error.problems
    problems = _said_twice(spec) + _placed(spec, found)
    if problems:
        raise SpecInvalid(problems)
    return experiments


def _document(spec: GroupSpec, suffix: str, changes: dict[str, Any]) -> dict[str, Any]:
    """The experiment as if someone had written it out."""
    document: dict[str, Any] = {"description": spec.description} | copy.deepcopy(spec.base)
    for path, value in changes.items():
        try:
            put(document, path, copy.deepcopy(value))
        except PathRefused as refused:
            problem = Problem(path=path, value=showable(value), message=refused.message, remedy=refused.remedy)
            raise SpecInvalid([problem]) from None
    return document | {"version": spec.version, "name": f"{spec.name}-{suffix}", "kind": "training"}


def _said_twice(spec: GroupSpec) -> list[Problem]:
    places = {"base": spec.base} | {f"experiments.{suffix}": changes for suffix, changes in spec.experiments.items()}
    return [
        Problem(
            path=f"{place}.{path}",
            value=showable(value),
            message=f"the group says the {path} of its experiments",
            remedy="leave it out",
        )
        for place, fields in places.items()
        for path, value in fields.items()
        if path.split(".")[0].strip() in ("version", "kind", "name")
    ]


def _placed(spec: GroupSpec, found: dict[str, list[Problem]]) -> list[Problem]:
    """What is wrong in every experiment and changed in none is the base's fault and said once."""
    said = [{_words(problem) for problem in problems} for problems in found.values()]
    everywhere = said[0].intersection(*said)
    changed = {path.strip() for changes in spec.experiments.values() for path in changes}
    placed: dict[tuple[str, str, str], Problem] = {}
    for suffix, problems in found.items():
        for problem in problems:
            is_shared = _words(problem) in everywhere and not _is_below(problem["path"], changed)
            place = "base" if is_shared else f"experiments.{suffix}"
            there = Problem({**problem, "path": f"{place}.{problem['path']}".removesuffix(".")})
            placed.setdefault(_words(there), there)
    return list(placed.values())


def _words(problem: Problem) -> tuple[str, str, str]:
    return problem["path"], problem["message"], repr(problem["value"])


def _is_below(path: str, others: set[str]) -> bool:
    return any(path == other or path.startswith(f"{other}.") for other in others)
