"""From text to plain data, and from a spec back to text.

YAML can be far larger than it looks: an alias repeats whatever its anchor names, and a merge key copies it, so a few
hundred bytes can stand for billions of nodes. A text is therefore measured, by its parsing events, before any of it is
built.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import yaml

from phylon.spec.problems import Problem, SpecInvalid

DEEPEST = 100
"""Levels of nesting. The C parser has no limit of its own and ends the process where its stack does."""
MOST_NODES = 50_000
"""With everything that aliases and merge keys repeat."""
MOST_ALIASES = 1_000

HAS_C_PARSER = hasattr(yaml, "CSafeLoader")
"""Some platforms have PyYAML without its C library and read many times slower."""
LONGEST = 256_000 if HAS_C_PARSER else 32_000
"""Bytes."""

_SafeLoader = yaml.CSafeLoader if TYPE_CHECKING or HAS_C_PARSER else yaml.SafeLoader


class _Loader(_SafeLoader):
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
    _refuse_long(text)
    try:
        measure(_events(text))
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


def _refuse_long(text: str) -> None:
    length = len(text) if len(text) > LONGEST else len(text.encode(errors="surrogatepass"))
    if length > LONGEST:
        raise invalid(
            f"the text has {length:,} bytes, more than the {LONGEST:,} that are read",
            "a spec takes a few hundred lines at most: remove what does not belong to it, or submit it in parts",
        )


def _events(text: str) -> Iterator[yaml.Event]:
    parse = cast(Callable[..., Iterator[yaml.Event]], yaml.parse)  # pyright: ignore[reportUnknownMemberType]
    return parse(text, Loader=_SafeLoader)


class _Open(NamedTuple):
    """A list or mapping that has not ended."""

    anchor: str | None
    nodes_before: int


def measure(events: Iterator[yaml.Event]) -> int:
    """How many nodes the text stands for, aliases and merge keys followed. Raises `SpecInvalid` at the first event that
    is deeper or more than allowed; later ones are not looked at."""
    nodes = aliases = 0
    open_nodes: list[_Open] = []
    sizes: dict[str, int] = {}
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            sizes.clear()
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append(_Open(event.anchor, nodes))
            nodes += 1
            if len(open_nodes) > DEEPEST:
                message = f"nested more than {DEEPEST} levels deep"
                raise invalid(message, "remove brackets or dashes that were not meant")
        elif isinstance(event, yaml.CollectionEndEvent):
            ended = open_nodes.pop()
            if ended.anchor:
                sizes[ended.anchor] = nodes - ended.nodes_before
        elif isinstance(event, yaml.ScalarEvent):
            nodes += 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
            if any(event.anchor == each.anchor for each in open_nodes):
                raise _too_much(event, f"'*{event.anchor}' is a part of what it repeats")
            nodes += sizes.get(event.anchor or "", 1)  # an unknown one is refused when the text is built
            if aliases > MOST_ALIASES:
                raise _too_much(event, f"more than {MOST_ALIASES:,} aliases")
        if nodes > MOST_NODES:
            raise _too_much(event, f"more than {MOST_NODES:,} values, with what aliases repeat")
    return nodes


def _too_much(event: yaml.Event, reason: str) -> SpecInvalid:
    line = event.start_mark.line + 1
    return invalid(
        f"line {line}: {reason}", "write out what is meant; use anchors (&name) and aliases (*name) sparingly"
    )


def invalid(message: str, remedy: str, value: Any = None) -> SpecInvalid:
    return SpecInvalid([Problem(path="", value=value, message=message, remedy=remedy)])


def to_yaml(*documents: dict[str, Any]) -> str:
    """Several documents are separated by lines of three dashes."""
    return yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
