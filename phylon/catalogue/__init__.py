"""Which environments exist, as data: the API refuses an unknown id without importing a simulator.

`python -m phylon.worker.environments.catalogue` writes the JSON files from the installed suites; a test checks them.
"""

import difflib
import json
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from phylon.catalogue.entry import OTHER, EnvironmentEntry, Part, Space, box, composite, discrete, multi_discrete
from phylon.catalogue.offers import Offer, offered, offering
from phylon.registry import suites
from phylon.registry.descriptions import SuiteDescription

__all__ = [
    "OTHER",
    "EnvironmentEntry",
    "Offer",
    "Part",
    "Space",
    "box",
    "catalogue_file",
    "closest",
    "composite",
    "discrete",
    "entries",
    "find",
    "multi_discrete",
    "offering",
    "search",
    "suite_of",
]


@cache
def entries() -> tuple[EnvironmentEntry, ...]:
    return tuple(
        EnvironmentEntry.from_row(suite.name, row)
        for suite in suites().values()
        for row in json.loads(catalogue_file(suite).read_text(encoding="utf-8"))
    )


def catalogue_file(suite: SuiteDescription) -> Traversable:
    package, file = suite.catalogue
    return resources.files(package) / file


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
    """Those of a suite, and those with the word in their id or the name of their family; offered ones last."""
    return [
        entry
        for entry in (*entries(), *offered())
        if (suite is None or entry.suite == suite)
        and (word is None or word.lower() in entry.id.lower() or word.lower() in entry.family)
    ]


def suite_of(id: str) -> str:
    """The suite of an environment that is named by its id alone: the usual one where several have it, or none."""
    usual = next(suite.name for suite in suites().values() if suite.is_usual)
    found = [entry.suite for entry in entries() if entry.id == id]
    return usual if usual in found or not found else found[0]
