"""One field of plain data changed by its dotted path: what `--set` and the experiments of a group are made of."""

from typing import Any, cast


class PathRefused(ValueError):
    """The path leads through something that has no parts."""

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}; {remedy}")


def put(raw: Any, path: str, value: Any) -> None:
    """Puts one value into plain data, in place. Whether the field exists is for the spec's own check to say."""
    keys = path.strip().split(".")
    if not all(keys):
        raise PathRefused(f"'{path}' is no path", "write field names with a dot between them, e.g. algorithm.discount")
    *parents, last = keys
    for position, key in enumerate(parents):
        section = _child(raw, key, ".".join(keys[:position]))
        if section is None:
            section = raw[key] = dict[str, Any]()
        raw = section
    _child(raw, last, ".".join(parents))
    raw[int(last) if isinstance(raw, list) else last] = value


def _child(holder: Any, key: str, path: str) -> Any:
    if isinstance(holder, dict):
        return cast(dict[str, Any], holder).get(key)
    if isinstance(holder, list):
        items = cast(list[Any], holder)
        if key.isdecimal() and int(key) < len(items):
            return items[int(key)]
        raise PathRefused(f"{path} is a list of {len(items)}", f"use a number below {len(items)}")
    raise PathRefused(f"{path or 'the spec'} is {holder!r}, which has no '{key}'", f"set {path} as a whole")
