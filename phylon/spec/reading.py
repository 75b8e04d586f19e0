"""From text to plain data, and from a spec back to text."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import yaml

from phylon.spec.problems import Problem, SpecInvalid

DEEPEST = 100
"""Levels of nesting. The C parser has no limit of its own and ends the process where its stack does."""


class _Loader(yaml.CSafeLoader):
    """No tags, no code, and no field said twice: YAML would silently keep the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, f"'{key.value}' is said twice", key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def read_yaml(text: str) -> Any:
    """Plain data from YAML, safely. Raises `SpecInvalid`."""
    try:
        _refuse_deep_nesting(text)
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "the text"
        message = f"not valid YAML at {where}: {getattr(error, 'problem', None) or error}"
        raise invalid(message, "check indentation and quotes, and that each field is said once") from None
    except ValueError as error:  # an impossible date, a number of 5000 digits
        if isinstance(error, SpecInvalid):
            raise
        raise invalid(f"not valid YAML: {error}", "check numbers and dates; put texts in quotes") from None


def _refuse_deep_nesting(text: str) -> None:
    depth = 0
    parse = cast(Callable[..., Iterator[yaml.Event]], yaml.parse)  # pyright: ignore[reportUnknownMemberType]
    for event in parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise invalid(f"nested more than {DEEPEST} levels deep", "remove brackets or dashes that were not meant")


def invalid(message: str, remedy: str, value: Any = None) -> SpecInvalid:
    return SpecInvalid([Problem(path="", value=value, message=message, remedy=remedy)])


def to_yaml(*documents: dict[str, Any]) -> str:
    """Several documents are separated by lines of three dashes."""
    return yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
