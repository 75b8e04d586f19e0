"""Lifts a stored spec of any version to the newest one, one step at a time."""

from typing import Any

from phylon.spec.problems import Problem, SpecInvalid, showable

CURRENT_VERSION = 1


def upgrade(raw: dict[str, Any]) -> dict[str, Any]:
    """`raw` at the current version. With version 2 this gains the first lifting step; version 1 passes through."""
    version = raw.get("version")
    if version != CURRENT_VERSION:
        raise SpecInvalid(
            [
                Problem(
                    path="version",
                    value=showable(version),
                    message=f"this Phylon reads spec version {CURRENT_VERSION}",
                    remedy=f"write version: {CURRENT_VERSION}"
                    if not isinstance(version, int) or version < CURRENT_VERSION
                    else "upgrade Phylon to read this newer spec",
                )
            ]
        )
    return raw
