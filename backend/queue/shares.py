"""Fair shares: device-seconds that fade, and what a project or a person has had for what it is due. Pure functions."""

import math
from collections.abc import Mapping
from typing import NamedTuple

ENTRY_SECONDS = 3600.0
"""A device counts as used for so long from its dispatch on, whatever it was used so far: else whoever was served least
would get all free devices at once, before any use of theirs is seen."""

LEAST_WEIGHT = 1e-6


class Person(NamedTuple):
    """Someone in a project. In another project the same user is another person."""

    project_id: int
    user_id: int


def fade(device_seconds: float, seconds: float, half_life: float) -> float:
    """What is left of a use after so long."""
    return device_seconds * 0.5 ** (max(0.0, seconds) / half_life)


def accrue(devices: int, seconds: float, half_life: float) -> float:
    """What devices that were in use for the last so many seconds count, the earlier ones less."""
    time_constant = half_life / math.log(2)
    return devices * time_constant * (1 - 0.5 ** (max(0.0, seconds) / half_life))


class Accounts:
    """What everyone counts as having used, within one look at the queue."""

    def __init__(self, used: Mapping[Person, float], weights: Mapping[int, float]) -> None:
        self._people = dict(used)
        self._weights = weights
        self._projects: dict[int, float] = {}
        for person, amount in used.items():
            self._projects[person.project_id] = self._projects.get(person.project_id, 0.0) + amount

    def charge_entry(self, person: Person, devices: int) -> None:
        amount = devices * ENTRY_SECONDS
        self._people[person] = self._people.get(person, 0.0) + amount
        self._projects[person.project_id] = self._projects.get(person.project_id, 0.0) + amount

    def score(self, person: Person) -> tuple[float, float]:
        """The lowest is served first: the project by its weight, within it the person who used least."""
        project = self._projects.get(person.project_id, 0.0) / max(
            self._weights.get(person.project_id, 1.0), LEAST_WEIGHT
        )
        return project, self._people.get(person, 0.0)
