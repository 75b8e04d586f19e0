"""Which environments exist, as data: the API refuses an unknown id without importing a simulator.

`python -m worker.environments.catalogue` writes the JSON files from the installed suites; a test keeps them true.
"""

import difflib
import json
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Space(BaseModel):
    """The shape of observations or actions. `n` counts the values of a discrete space."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["box", "discrete", "other"]
    shape: tuple[int, ...]
    dtype: str
    n: int | None

    def describe(self) -> str:
        match self.kind:
            case "box":
                return f"{'x'.join(map(str, self.shape)) or '1'} {self.dtype}"
            case "discrete":
                return f"{self.n} discrete values"
            case "other":
                return "a composite space"


class EnvironmentEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    id: str
    observation: Space
    action: Space
    max_episode_steps: int | None


@cache
def entries() -> tuple[EnvironmentEntry, ...]:
    files = sorted(
        (file for file in resources.files(__name__).iterdir() if file.name.endswith(".json")), key=lambda f: f.name
    )
    return tuple(
        EnvironmentEntry.model_validate(item) for file in files for item in json.loads(file.read_text(encoding="utf-8"))
    )


@cache
def _by_name() -> dict[tuple[str, str], EnvironmentEntry]:
    return {(entry.suite, entry.id): entry for entry in entries()}


def find(suite: str, id: str) -> EnvironmentEntry | None:
    return _by_name().get((suite, id))


def closest(suite: str, id: str) -> list[str]:
    """Ids of the suite that look like a misspelt one."""
    names = {entry.id.lower(): entry.id for entry in entries() if entry.suite == suite}
    return [names[match] for match in difflib.get_close_matches(id.lower(), list(names), n=3, cutoff=0.6)]


def search(suite: str | None = None, word: str | None = None) -> list[EnvironmentEntry]:
    return [
        entry
        for entry in entries()
        if (suite is None or entry.suite == suite) and (word is None or word.lower() in entry.id.lower())
    ]
