"""Where a policy plays when someone names another environment than the one it was trained in."""

from phylon.registry import suites
from phylon.spec.environment import EnvironmentSpec


def other_environment(place: EnvironmentSpec, named: str) -> EnvironmentSpec:
    """`suite:id`, `my_package:MyEnv-v0`, or an id of the same suite; wrappers stay."""
    suite, _, id = named.rpartition(":")
    if suite and suite not in suites():
        suite, id = place.suite, named
    return place.model_copy(update={"suite": suite or place.suite, "id": id, "options": {}, "spaces": None})
