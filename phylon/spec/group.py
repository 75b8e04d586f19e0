"""A group: several experiments from one document, each the same base with a few fields changed."""

import copy
import re
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from phylon.spec.distributions import Model
from phylon.spec.experiment import ExperimentSpec
from phylon.spec.group_limits import LARGEST_GROUP, GroupName
from phylon.spec.overrides import PathRefused, put
from phylon.spec.problems import Note, Problem, SpecInvalid, problems_of, showable
from phylon.spec.reading import invalid, to_yaml
from phylon.spec.resolve import expand, resolve
from phylon.spec.runtime_study import RuntimeStudySpec, parse_study
from phylon.spec.sweep import expand_sweep, is_sweep, place_problems
from phylon.spec.upgrade import upgrade


def _suffix(text: str) -> str:
    """No dots, since it is one step of a problem's path; with a group's name it is no longer than a name may be."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,59}", text):
        remedy = "use letters, digits, '_' and '-', at most 59 of them"
        raise PydanticCustomError("suffix", "an experiment cannot be called by this", {"remedy": remedy})
    return text


class GroupSpec(Model):
    """Experiments that belong together. All of them are submitted, or none."""

    version: Literal[1, 2] = 2
    """In which the base and the experiments are written."""
    name: GroupName
    description: Annotated[str, Field(max_length=2000)] = ""
    kind: Literal["group"]
    of: Literal["arms", "tasks"] | None = None
    """Whether its experiments are arms, which are compared with each other, or tasks, which are averaged. Without it,
    tasks where each has an environment of its own."""
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


class ResolvedDocument(NamedTuple):
    document: Document
    notes: list[Note]

    def to_yaml(self) -> str:
        """All that will run, with every default: of a group, one document per experiment."""
        document = self.document
        specs = document.experiments.values() if isinstance(document, Group) else (document,)
        return to_yaml(*(spec.model_dump(mode="json") for spec in specs))


class _ResolvedGroup(NamedTuple):
    group: Group
    notes: list[Note]


def resolve_document(raw: Any) -> ResolvedDocument:
    """An experiment, a group (or a sweep, which becomes one) or a runtime study, whichever `kind` says.

    Raises `SpecInvalid`.
    """
    match cast(dict[str, Any], raw).get("kind") if isinstance(raw, dict) else None:
        case "group" | "sweep":
            return ResolvedDocument(*_resolve_group(raw))
        case "runtime_study":
            return ResolvedDocument(parse_study(raw), [])
        case _:
            return ResolvedDocument(*resolve(raw))


def parse_document(raw: Any) -> Document:
    return resolve_document(raw).document


def expand_document(raw: Any) -> Any:
    """The document with its short forms spelled out, so that dotted paths lead to fields."""
    if not isinstance(raw, dict):
        return raw
    document = cast(dict[str, Any], raw)
    match document.get("kind"):
        case "runtime_study":
            return document
        case "group" | "sweep" if isinstance(document.get("base"), dict):
            return document | {"base": expand(document["base"])}
        case _:
            return expand(document)


def parse_group(raw: Any) -> Group:
    """Raises `SpecInvalid` with every problem found, each at the part of the group that causes it."""
    return _resolve_group(raw).group


def _resolve_group(raw: Any) -> _ResolvedGroup:
    if is_sweep(raw):
        expanded = expand_sweep(raw)
        try:
            return _resolve_group(expanded)
        except SpecInvalid as error:
            raise SpecInvalid(place_problems(raw, error.problems)) from None
    if not isinstance(raw, dict):
        raise invalid("a group is a mapping of fields", "write at least the fields kind, name, base", showable(raw))
    lifted = upgrade(cast(dict[str, Any], raw))
    try:
        spec = GroupSpec.model_validate(lifted)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, GroupSpec, lifted)) from None
    experiments: dict[str, ExperimentSpec] = {}
    problems: dict[str, list[Problem]] = {suffix: [] for suffix in spec.experiments}
    notes: dict[str, list[Note]] = {suffix: [] for suffix in spec.experiments}
    for suffix, changes in spec.experiments.items():
        try:
            experiments[suffix], notes[suffix] = resolve(_document(spec, suffix, changes))
        except SpecInvalid as error:
            problems[suffix] = error.problems
    found = _said_twice(spec) + _place(spec, problems)
    if found:
        raise SpecInvalid(found)
    return _ResolvedGroup(Group(spec, experiments), _place(spec, notes))


def group_to_yaml(group: Group) -> str:
    return to_yaml(group.spec.model_dump(mode="json"))


def _document(spec: GroupSpec, suffix: str, changes: dict[str, Any]) -> dict[str, Any]:
    """The experiment as if someone had written it out."""
    document: dict[str, Any] = {"description": spec.description} | expand(copy.deepcopy(spec.base))
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


Remark = TypeVar("Remark", Problem, Note)


def _place(spec: GroupSpec, found: dict[str, list[Remark]]) -> list[Remark]:
    """What is found in every experiment and changed in none is the base's and said once."""
    said = [{_words(remark) for remark in remarks} for remarks in found.values()]
    everywhere = said[0].intersection(*said)
    changed = {path.strip() for changes in spec.experiments.values() for path in changes}
    placed: dict[tuple[str, str, str], Remark] = {}
    for suffix, remarks in found.items():
        for remark in remarks:
            is_shared = _words(remark) in everywhere and not _is_below(remark["path"], changed)
            place = "base" if is_shared else f"experiments.{suffix}"
            there = remark.copy()
            there["path"] = f"{place}.{remark['path']}".removesuffix(".")
            placed.setdefault(_words(there), there)
    return list(placed.values())


def _words(remark: Problem | Note) -> tuple[str, str, str]:
    return remark["path"], remark["message"], repr(remark.get("value"))


def _is_below(path: str, others: set[str]) -> bool:
    return any(path == other or path.startswith(f"{other}.") for other in others)
