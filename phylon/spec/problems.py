"""What is wrong with a spec, reported alike by CLI, API and form: path, value, message and remedy."""

import difflib
import math
import reprlib
from collections.abc import Mapping
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict  # what pydantic needs before Python 3.12

Location = tuple[int | str, ...]


class Problem(TypedDict):
    path: str
    value: Any
    message: str
    remedy: str


def problem(path: str, value: Any, message: str, remedy: str) -> Problem:
    return Problem(path=path, value=value, message=message, remedy=remedy)


class Note(TypedDict):
    """What was changed, and why. Nobody has to do anything about it."""

    path: str
    message: str


class SpecInvalid(ValueError):
    """Raised by everything that reads a spec; carries every problem found, not only the first."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{p['path'] or 'spec'}: {p['message']} ({p['remedy']})" for p in problems))


def problems_of(error: ValidationError, root: type[BaseModel], raw: Any) -> list[Problem]:
    """Pydantic's report about `raw` in the words of the language."""
    found: list[Problem] = []
    for item in error.errors(include_url=False):
        kind, context = item["type"], cast(Mapping[str, Any], item.get("ctx", {}))
        if "problems" in context:
            found.extend(cast(list[Problem], context["problems"]))
            continue
        if kind == "too_short" and len(item["input"]) >= context["min_length"]:
            continue  # pydantic leaves wrong items out before it counts; they have problems of their own
        keys = _path(item["loc"], raw, ends_in_key=kind in ("missing", "extra_forbidden"))
        value = None if kind == "missing" else item.get("input")
        if kind in ("union_tag_invalid", "union_tag_not_found"):  # said of the whole mapping, but it is about one field
            keys.append(str(context["discriminator"]).strip("'"))
            value = context.get("tag")
        found.append(
            Problem(
                path=".".join(keys),
                value=showable(value),
                message=_message(kind, item["msg"], keys, context),
                remedy=_remedy(kind, keys, context, _legal_names(root, item["loc"])),
            )
        )
    return found


def showable(value: Any) -> Any:
    """`value` as JSON can carry it: scalars as they are, all else as a short text (YAML can nest without end)."""
    match value:
        case None | bool():
            return value
        case int() if abs(value) < 2**53:
            return value
        case float() if math.isfinite(value):
            return value
        case str() if len(value) <= 200:
            return value
        case _:
            return _short.repr(value)[:200]


_short = reprlib.Repr()
_short.maxlevel = 3
_short.maxlist = _short.maxdict = 8
_short.maxstring = _short.maxlong = _short.maxother = 200


def _path(location: Location, raw: Any, ends_in_key: bool) -> list[str]:
    """The keys that lead through `raw`, without the union tags that pydantic puts between them.

    A tag leads nowhere: `("discount", "uniform", "uniform", 0)` in `{"discount": {"uniform": [2, 1]}}` is
    `discount.uniform.0`. Only the last part may be a key that is not there, when it is a missing or an unknown one.
    """
    keys: list[str] = []
    for position, part in enumerate(location):
        inside = _enter(raw, part)
        if inside is not _NOTHING:
            raw = inside
            keys.append(str(part))
        elif ends_in_key and position == len(location) - 1:
            keys.append(str(part))
    return keys


_NOTHING = object()


def _enter(value: Any, part: int | str) -> Any:
    if isinstance(value, dict):
        return cast(dict[Any, Any], value).get(part, _NOTHING)
    if isinstance(value, list | tuple) and isinstance(part, int):
        items = cast(list[Any], value)
        return items[part] if part < len(items) else _NOTHING
    return _NOTHING


def _message(kind: str, message: str, keys: list[str], context: Mapping[str, Any]) -> str:
    match kind:
        case "extra_forbidden":
            return f"unknown field '{keys[-1]}'"
        case "missing" if keys[-1].isdigit():
            return "a value is missing"
        case "missing" | "union_tag_not_found":
            return f"'{keys[-1]}' is missing"
        case "union_tag_invalid":
            return f"unknown {keys[-1]} '{context['tag']}'"
        case "tuple_type":
            return "input should be a list"
        case "too_short" | "too_long":
            return (
                message.replace("Tuple", "the list")
                .replace("Dictionary", "the mapping")
                .replace(" after validation", "")
            )
        case "model_type" | "model_attributes_type" | "dict_type":
            return "input should be a mapping of fields"
        case _:
            return message[:1].lower() + message[1:]


def _remedy(kind: str, keys: list[str], context: Mapping[str, Any], legal_names: list[str]) -> str:
    if "remedy" in context:
        return str(context["remedy"])
    match kind:
        case "extra_forbidden":
            close = difflib.get_close_matches(keys[-1], legal_names, n=1, cutoff=0.5)
            return f"did you mean '{close[0]}'?" if close else f"remove it; fields here are: {', '.join(legal_names)}"
        case "missing" if keys[-1].isdigit():
            return f"write at least {int(keys[-1]) + 1} values in the list"
        case "missing" | "union_tag_not_found":
            return f"add '{'.'.join(keys)}'"
        case "literal_error" | "union_tag_invalid":
            return f"use one of {context.get('expected') or context.get('expected_tags')}"
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
            return "use a value " + " and ".join(f"{words[key]} {context[key]}" for key in words if key in context)
        case "finite_number":
            return "use a finite number"
        case "string_pattern_mismatch":
            return "use letters, digits, '.', '_' and '-', starting with a letter or digit, at most 100 of them"
        case "string_type":
            return "write a text; put it in quotes if it looks like a number or a date"
        case "string_too_short" | "too_short":
            return f"give at least {context['min_length']}"
        case "string_too_long" | "too_long":
            return f"give at most {context['max_length']}"
        case "int_parsing" | "int_type" | "int_from_float" | "int_parsing_size":
            return "use a whole number"
        case "float_parsing" | "float_type":
            return "use a number"
        case "tuple_type":
            return "write a list, e.g. [1, 2]"
        case "model_type" | "model_attributes_type":
            return f"write a mapping with the fields: {', '.join(legal_names)}" if legal_names else "write a mapping"
        case "dict_type":
            return "write a mapping, e.g. {environment.id: Pendulum-v1}"
        case _:
            return "correct the value"


def _legal_names(root: type[BaseModel], location: Location) -> list[str]:
    """Field names of the object that `location` names, or that holds the field which it names."""
    models = [root]
    for part in location:
        tagged = [model for model in models if part in _tags(model)]
        if tagged and len(models) > 1:
            models = tagged
            continue
        fields = [model.model_fields[str(part)] for model in models if str(part) in model.model_fields]
        inner = [model for field in fields for model in _models_in(field.annotation)]
        models = inner or models
    return list(dict.fromkeys(name for model in models for name in model.model_fields))


def _tags(model: type[BaseModel]) -> tuple[Any, ...]:
    name = model.model_fields.get("name")
    return get_args(name.annotation) if name else ()


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
