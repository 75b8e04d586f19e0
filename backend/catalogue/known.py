"""Which environments somebody may name to a worker."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from phylon.backend.kit.errors import Invalid
from phylon.catalogue import closest, find
from phylon.spec.environment import EnvironmentSpec


class EnvironmentUnknown(Invalid):
    """There is no such environment; nothing was stored."""


def read_environment(named: Mapping[str, Any]) -> EnvironmentSpec:
    """As a spec names it. What a module has, only workers know."""
    try:
        environment = EnvironmentSpec.model_validate(named)
    except ValidationError as error:
        raise EnvironmentUnknown(
            f"'{named['id']}' names no environment: {error.errors()[0]['msg']}.",
            "Name one of the catalogue by suite and id, or module:Name-v0 of your own.",
        ) from None
    suite, id = environment.suite, environment.id
    if environment.module is None and find(suite, id) is None:
        alike = " or ".join(closest(suite, id)) or "one of the catalogue"
        raise EnvironmentUnknown(f"Suite {suite} has no environment {id}.", f"Use {alike}.")
    return environment
