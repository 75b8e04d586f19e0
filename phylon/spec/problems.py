"""What is wrong with a spec, told the same way by CLI, API and form: path, value, message and remedy."""

import difflib
from collections.abc import Mapping
from typing import Any, TypedDict, cast

from pydantic import BaseModel, ValidationError


class Problem(TypedDict):
    path: str
    value: Any
    message: str
    remedy: str


class SpecInvalid(ValueError):
    """Raised by everything that reads a spec; carries every problem found, not only the first."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{p['path'] or 'spec'}: {p['message']} ({p['remedy']})" for p in problems))


def problems_of(error: ValidationError, root: type[BaseModel]) -> list[Problem]:
    """Translate pydantic's report, dropping the union tags it puts into paths."""
    found: list[Problem] = []
    for item in error.errors(include_url=False):
        context: Mapping[str, Any] = item.get("ctx", {})
        if "problems" in context:
            found.extend(cast(list[Problem], context["problems"]))
            continue
        keys = _real_path(item["loc"])
        value = None if item["type"] == "missing" else item.get("input")
        found.append(
            Problem(
                path=".".join(keys),
                value=value if _is_plain(value) else repr(value),
                message=_message(item["type"], item["msg"], keys),
                remedy=_remedy(item["type"], keys, context, item["loc"], root),
            )
        )
    return found


_TAGS = {"number", "uniform", "log_uniform", "int_uniform", "choice", "perturb", "resample", "truncation", "pbt", "td3"}


def _real_path(loc: tuple[int | str, ...]) -> list[str]:
    """`("algorithm", "discount", "uniform", "uniform", 0)` → `algorithm.discount.uniform.0`: a tag is said once."""
    keys: list[str] = []
    for position, part in enumerate(loc):
        following = loc[position + 1] if position + 1 < len(loc) else None
        is_tag = (
            isinstance(part, str) and part in _TAGS and (following == part or part in ("number", "perturb", "resample"))
        )
        if not is_tag:
            keys.append(str(part))
    return keys


def _message(kind: str, message: str, keys: list[str]) -> str:
    match kind:
        case "extra_forbidden":
            return f"unknown field '{keys[-1]}'"
        case "missing":
            return f"'{keys[-1]}' is missing"
        case _:
            return message[:1].lower() + message[1:]


def _remedy(
    kind: str, keys: list[str], context: Mapping[str, Any], loc: tuple[int | str, ...], root: type[BaseModel]
) -> str:
    if "remedy" in context:
        return str(context["remedy"])
    match kind:
        case "extra_forbidden":
            names = _siblings(root, loc)
            close = difflib.get_close_matches(keys[-1], names, n=1, cutoff=0.5)
            return f"did you mean '{close[0]}'?" if close else f"remove it; fields here are: {', '.join(names)}"
        case "missing":
            return f"add '{'.'.join(keys)}'"
        case "literal_error" | "union_tag_invalid":
            return f"use one of {context.get('expected') or context.get('expected_tags')}"
        case "union_tag_not_found":
            return f"add {context.get('discriminator')} to say which kind is meant"
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
            return "use a value " + " and ".join(f"{words[key]} {context[key]}" for key in words if key in context)
        case "string_pattern_mismatch":
            return "use letters, digits, '.', '_' and '-', starting with a letter or digit, at most 100 of them"
        case "int_parsing" | "int_type" | "int_from_float":
            return "use a whole number"
        case "float_parsing" | "float_type":
            return "use a number; YAML reads 1e-3 as text, so write 1.0e-3"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "write a mapping of fields here"
        case _:
            return "correct the value"


def _siblings(root: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Field names that were legal where an unknown one stood."""
    model: type[BaseModel] = root
    for part in loc[:-1]:
        field = model.model_fields.get(str(part))
        candidates = _models_in(field.annotation) if field else []
        if len(candidates) == 1:
            model = candidates[0]
        elif len(candidates) > 1:
            tagged = [c for c in candidates if str(loc[loc.index(part) + 1]) in str(c.model_fields.get("name"))]
            model = tagged[0] if tagged else candidates[0]
    return list(model.model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [model for argument in getattr(annotation, "__args__", ()) for model in _models_in(argument)]


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool | list | dict)
