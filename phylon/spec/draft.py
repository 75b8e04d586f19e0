"""A spec on its way from what someone wrote to what will run: plain data that is filled in place, with notes."""

from typing import Any, cast

from phylon.spec.problems import Note
from phylon.spec.quantities import read_count

LARGEST = 10**12
"""The longest budget; whatever is longer was not meant."""

_ABSENT = object()


class Draft:
    """Paths are dotted, as in a problem. A section that is no mapping is left alone: its own check reports it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document: dict[str, Any] = _copy(document, depth=5)
        self.notes: list[Note] = []

    def get(self, path: str) -> Any:
        """None for what is left out."""
        value = self._find(path)
        return None if value is _ABSENT else value

    def section(self, path: str) -> dict[str, Any]:
        """The fields of a mapping; nothing where it is none."""
        value = self.get(path)
        return cast(dict[str, Any], value) if isinstance(value, dict) else {}

    def has(self, path: str) -> bool:
        return self._find(path) is not _ABSENT

    def count(self, path: str) -> int | None:
        """A whole number above 0, however it is written; None for anything else."""
        value = read_count(self.get(path))
        return value if type(value) is int and 0 < value <= LARGEST else None

    def fill(self, path: str, value: Any) -> None:
        """Puts a value where none was written."""
        if not self.has(path):
            self.put(path, value)

    def put(self, path: str, value: Any) -> None:
        *parents, last = path.split(".")
        holder = self.document
        for key in parents:
            inner = holder.setdefault(key, {})
            if not isinstance(inner, dict):
                return
            holder = cast(dict[str, Any], inner)
        holder[last] = value

    def move(self, path: str, value: Any, reason: str) -> None:
        """Changes what was written, and says so."""
        self.notes.append(Note(path=path, message=f"{_spell(self.get(path))} is {reason}; {_spell(value)} is used"))
        self.put(path, value)

    def _find(self, path: str) -> Any:
        value: Any = self.document
        for key in path.split("."):
            if not isinstance(value, dict):
                return _ABSENT
            value = cast(dict[str, Any], value).get(key, _ABSENT)
        return value


def _copy(value: Any, depth: int) -> Any:
    """So deep as anything is filled in. What was written may contain itself, so it is not copied to its end."""
    if depth and isinstance(value, dict):
        return {key: _copy(item, depth - 1) for key, item in cast(dict[Any, Any], value).items()}
    return value


def _spell(value: Any) -> str:
    return f"{value:,}" if type(value) is int else f"{value:.6g}" if isinstance(value, float) else str(value)[:60]
