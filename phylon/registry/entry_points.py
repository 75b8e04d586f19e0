"""From entry points to registries. A plug-in that cannot be loaded is reported and left out; the others work."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Generic, NamedTuple, Protocol, TypeVar

log = logging.getLogger(__name__)

OURS = "phylon"


class Description(Protocol):
    @property
    def name(self) -> str: ...


AnyDescription = TypeVar("AnyDescription", bound=Description, covariant=True)


class Broken(NamedTuple):
    """An entry point that is of no use, and why."""

    group: str
    name: str
    distribution: str
    reason: str

    def describe(self) -> str:
        return f"the plug-in '{self.name}' of package {self.distribution} ({self.group}) is broken: {self.reason}"


class Registry(Mapping[str, AnyDescription], Generic[AnyDescription]):
    """Descriptions by name: ours first, then those of plug-ins, each in the order of names."""

    def __init__(self, found: Mapping[str, AnyDescription], broken: tuple[Broken, ...]) -> None:
        self._found = found
        self.broken = broken

    def __getitem__(self, name: str) -> AnyDescription:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


@cache
def _installed() -> tuple[EntryPoint, ...]:
    """Looking through all installed packages takes a while, so it is done once."""
    every = entry_points()
    return tuple(point for group in every.groups if group.startswith("phylon.") for point in every.select(group=group))


def load_registry(
    group: str, kind: type[AnyDescription], installed: Iterable[EntryPoint] | None = None
) -> Registry[AnyDescription]:
    """`installed`: all entry points that there are; left out, those of installed packages."""
    points = sorted(
        (point for point in (_installed() if installed is None else installed) if point.group == group),
        key=lambda point: (_distribution(point) != OURS, point.name),
    )
    if not any(_distribution(point) == OURS for point in points):
        raise RuntimeError(
            f"phylon's own entry points of the group {group} are missing: the package is not installed, or was "
            "installed by an older version; run `pip install --editable .` in the checkout, or `pip install phylon`"
        )
    ours = {point.name for point in points if _distribution(point) == OURS}
    counts = Counter(point.name for point in points)
    found: dict[str, AnyDescription] = {}
    broken: list[Broken] = []
    for point in points:
        is_ours = _distribution(point) == OURS
        if counts[point.name] > 1 and not is_ours:
            other = "phylon itself" if point.name in ours else "another plug-in"
            broken.append(_broken(point, f"{other} has the same name; uninstall one of them, or rename it"))
            continue
        try:
            description = point.load()
            if not isinstance(description, kind):
                raise TypeError(f"{point.value} is no {kind.__name__}")
            if description.name != point.name:
                raise ValueError(f"its entry point is called '{point.name}', and its description '{description.name}'")
        except Exception as error:
            if is_ours:
                raise
            broken.append(_broken(point, f"{type(error).__name__}: {error}"))
        else:
            found[point.name] = description
    for problem in broken:
        log.warning(problem.describe())
    return Registry(found, tuple(broken))


def _broken(point: EntryPoint, reason: str) -> Broken:
    return Broken(point.group, point.name, _distribution(point), reason)


def _distribution(point: EntryPoint) -> str:
    return _name(point.dist) if point.dist is not None else "unknown"


@cache
def _name(distribution: Distribution) -> str:
    """Each asking reads the package's metadata again."""
    return distribution.name.lower()
