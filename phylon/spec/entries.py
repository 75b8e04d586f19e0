"""What members see and do in an environment as a spec describes it: by its catalogue entry, or the spaces that the spec
records, and its wrappers."""

from typing import NamedTuple

from phylon.catalogue import EnvironmentEntry, find
from phylon.registry import wrappers
from phylon.registry.descriptions import Refusal
from phylon.spec.environment import EnvironmentSpec


class Unwrappable(NamedTuple):
    place: int
    """Of the wrapper, in the spec's list."""
    refusal: Refusal


def plain_entry(environment: EnvironmentSpec) -> EnvironmentEntry | None:
    """Without wrappers; None for what neither the catalogue nor the spec describes."""
    known, spaces = find(environment.suite, environment.id), environment.spaces
    if spaces is None:
        return known
    return EnvironmentEntry(
        suite=environment.suite,
        id=environment.id,
        family=known.family if known else environment.module or "",
        observation=spaces.observation,
        action=spaces.action,
        max_episode_steps=spaces.max_episode_steps,
    )


def entry_of(environment: EnvironmentSpec) -> EnvironmentEntry | None:
    """With its wrappers; None for what is unknown or cannot be wrapped so, which checks report."""
    steps = entries_of(environment)
    return steps if isinstance(steps, EnvironmentEntry) else None


def entries_of(environment: EnvironmentSpec) -> EnvironmentEntry | Unwrappable | None:
    """The same, with the reason why it cannot be wrapped."""
    entry = plain_entry(environment)
    if entry is None:
        return None
    for place, wrapper in enumerate(environment.wrappers):
        changed = wrappers()[wrapper.name].changes(wrapper, entry)
        if isinstance(changed, Refusal):
            return Unwrappable(place, changed)
        entry = changed
    return entry
