"""Lifts a stored document of any version to the newest one, one step at a time."""

from collections.abc import Mapping
from typing import Any, cast

from phylon.registry import algorithms
from phylon.spec.problems import Problem, SpecInvalid, showable

CURRENT_VERSION = 2


def upgrade(raw: dict[str, Any]) -> dict[str, Any]:
    """`raw` at the current version, which is also that of a document without one. What it means does not change.

    A group keeps its version: that is the one in which its experiments are written, and each is lifted by itself.
    """
    version = raw.get("version", CURRENT_VERSION)
    if isinstance(version, bool) or version not in (1, CURRENT_VERSION):
        is_newer = isinstance(version, int) and version > CURRENT_VERSION
        remedy = "upgrade Phylon to read this newer spec" if is_newer else "leave it out"
        message = f"this Phylon reads spec versions up to {CURRENT_VERSION}"
        raise SpecInvalid([Problem(path="version", value=showable(version), message=message, remedy=remedy)])
    if version == CURRENT_VERSION or raw.get("kind") == "group":
        return raw
    return {**raw, "version": 2} if raw.get("kind") == "runtime_study" else _from_version_1(raw)


def _from_version_1(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had fixed lengths where version 2 has such as follow from the budget, and never tuned by itself."""
    document = {**raw, "version": 2, "search": "none"}
    document = _with(document, "evaluation", {"interval": 10_000})
    document = _with(document, "metrics", {"interval": 1_000})
    document = _with(document, "checkpoint", {"interval": 100_000})
    algorithm = raw.get("algorithm")
    if isinstance(algorithm, dict):
        description = algorithms().get(str(cast(dict[str, Any], algorithm).get("name")))
        if description is not None and description.experience == "replay":
            document = _with(document, "replay", {"capacity": 300_000, "warmup": 25_000})
            document = _with(document, "execution", {"segment_steps": 50})
    population = raw.get("population")
    if isinstance(population, dict):
        document["population"] = _population_from_version_1(cast(dict[str, Any], population))
    return document


def _population_from_version_1(population: dict[str, Any]) -> dict[str, Any]:
    method = population.get("method")
    if not isinstance(method, dict):
        return population
    fields = cast(dict[str, Any], method)
    if fields.get("name") == "replay":
        fields = {**fields, "name": "schedule"}
    return {**population, "method": {"burn_in": 0, **fields} if "interval" in fields else fields}


def _with(document: dict[str, Any], section: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The document with `defaults` for what the section leaves out. What is no mapping has a problem of its own."""
    written = document.get(section)
    if written is None:
        written = {}
    if not isinstance(written, dict):
        return document
    given = cast(dict[str, Any], written)
    missing = {name: value for name, value in defaults.items() if given.get(name) is None}
    return {**document, section: {**given, **missing}}
