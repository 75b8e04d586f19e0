"""Configurations of Ray, which may hold anything, as the numbers by name that a lineage holds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from phylon.lineage.ray_log import Config
from phylon.spec.distributions import Scale

_DECADES = 100
"""Positive values that differ by more than this factor are drawn on a logarithmic axis."""


class Columns(NamedTuple):
    tuned: list[dict[str, Any]]
    """In the form of `phylon.contract.lineage.Tuned`: what differs between configurations."""
    names: dict[str, list[str]]
    """What the values 0, 1, 2, … of a column are called, for columns that are not all numbers."""

    @property
    def tuned_names(self) -> list[str]:
        return [tuned["name"] for tuned in self.tuned]

    def values(self, config: Config) -> dict[str, float]:
        """Numbers of a configuration. Texts and lists that never differ are left out: there is nothing to draw."""
        return {
            name: float(self.names[name].index(_text(value))) if name in self.names else float(value)
            for name, value in _flat(config)
            if name in self.names or _is_number(value)
        }


def columns_of(configs: Sequence[Config]) -> Columns:
    seen: dict[str, list[Any]] = {}
    for config in configs:
        for name, value in _flat(config):
            seen.setdefault(name, []).append(value)
    names = {
        name: texts
        for name, values in seen.items()
        if not all(map(_is_number, values)) and len(texts := list(dict.fromkeys(map(_text, values)))) > 1
    }
    tuned = [
        {"name": name, **_range(values, names.get(name)), "read": "training"}
        for name, values in seen.items()
        if name in names or (all(map(_is_number, values)) and len(set(values)) > 1)
    ]
    return Columns(tuned, names)


def _range(values: Sequence[Any], names: list[str] | None) -> dict[str, Any]:
    if names is not None:
        return {"scale": "choice", "low": 0.0, "high": float(len(names) - 1), "names": names}
    low, high = float(min(values)), float(max(values))
    scale: Scale = "linear"
    if all(isinstance(value, int) for value in values):
        scale = "integer"
    elif low > 0 and high / low > _DECADES:
        scale = "log"
    return {"scale": scale, "low": low, "high": high, "names": None}


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _flat(cast(Config, value), f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _is_number(value: Any) -> bool:
    """A finite one; JSON as Python reads it has others."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**1000


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
