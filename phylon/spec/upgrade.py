"""Lifts a stored document of any version to the newest one, one step at a time."""

from collections.abc import Mapping
from typing import Any, cast

from phylon.registry import algorithms, methods
from phylon.registry.descriptions import name_of
from phylon.spec.algorithms.ddpg import DDPGSpec
from phylon.spec.algorithms.dqn import DQNSpec
from phylon.spec.methods.cem_rl import CEMRLSpec
from phylon.spec.methods.mf_pbt import MFPBTSpec
from phylon.spec.methods.pb2 import PB2FamilySpec
from phylon.spec.problems import Problem, SpecInvalid, showable

CURRENT_VERSION = 2

METHOD_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    name_of(CEMRLSpec): {"rule": "fastpbrl"},
    name_of(MFPBTSpec): {"explore": {"name": "perturb"}},
}
ALGORITHM_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    name_of(DDPGSpec): {"exploration_noise": 0.1},
    name_of(DQNSpec): {"target_period": 10_000, "epsilon_decay": 250_000},
}
"""Version 1's, where they have changed since."""


def upgrade(raw: dict[str, Any]) -> dict[str, Any]:
    """`raw` at the current version, which is also that of a document without one. What it means does not change.

    A group or a sweep keeps its version: that is the one in which its experiments are written, and each is lifted by
    itself.
    """
    version = raw.get("version", CURRENT_VERSION)
    if isinstance(version, bool) or version not in (1, CURRENT_VERSION):
        is_newer = isinstance(version, int) and version > CURRENT_VERSION
        remedy = "upgrade Phylon to read this newer spec" if is_newer else "leave it out"
        message = f"this Phylon reads spec versions up to {CURRENT_VERSION}"
        raise SpecInvalid([Problem(path="version", value=showable(version), message=message, remedy=remedy)])
    if version == CURRENT_VERSION or raw.get("kind") in ("group", "sweep"):
        return raw
    return {**raw, "version": 2} if raw.get("kind") == "runtime_study" else _from_version_1(raw)


def _from_version_1(raw: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had fixed lengths where version 2 has such as follow from the budget, never tuned by itself, and
    evaluated the mode of every policy. It made every reset, however late, and DDPG explored with half the noise."""
    document = {**raw, "version": 2, "search": "none"}
    if raw.get("resets") is not None:
        document = _with(document, "resets", {"recovery": 0})
    document = _with(document, "evaluation", {"interval": 10_000, "policy": "mode", "epsilon": 0.0})
    document = _with(document, "metrics", {"interval": 1_000})
    document = _with(document, "checkpoint", {"interval": 100_000})
    algorithm = raw.get("algorithm")
    if isinstance(algorithm, dict):
        name = str(cast(dict[str, Any], algorithm).get("name"))
        document = _with(document, "algorithm", ALGORITHM_DEFAULTS.get(name, {}))
        description = algorithms().get(name)
        if description is not None and description.experience == "replay":
            document = _with(document, "replay", {"capacity": 300_000, "ratio": 1.0, "warmup": 25_000})
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
    description = methods().get(str(fields.get("name")))
    if description is not None and issubclass(description.spec, PB2FamilySpec):
        size = population.get("size")
        fields = {"window": max(256, size if isinstance(size, int) else 0), **fields}
    fields = {**METHOD_DEFAULTS.get(str(fields.get("name")), {}), **fields}
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
