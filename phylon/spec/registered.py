"""Unions of what the registries hold, for documents that choose by `name`."""

from collections.abc import Mapping
from typing import Annotated, Any, Union, cast

from pydantic import AfterValidator, BeforeValidator, Discriminator
from pydantic_core import PydanticCustomError

from phylon.registry import algorithms, methods, suites, unknown_name
from phylon.registry.descriptions import AlgorithmDescription, MethodDescription, WrapperDescription
from phylon.registry.entry_points import Registry
from phylon.spec.problems import Problem, showable


def _written_name(value: object) -> object:
    return cast(Mapping[str, object], value).get("name") if isinstance(value, Mapping) else None


def union_of(
    registry: Registry[AlgorithmDescription] | Registry[MethodDescription] | Registry[WrapperDescription], path: str
) -> Any:
    """The spec classes of a registry; `path`: where documents have it, for the report of an unknown name."""

    def require_known(value: object) -> object:
        name = _written_name(value)
        if isinstance(name, str) and name not in registry:
            word = path.rpartition(".")[2]
            problem = Problem(
                path=f"{path}.name",
                value=showable(name),
                message=f"unknown {word} '{showable(name)}'",
                remedy=unknown_name(registry),
            )
            raise PydanticCustomError("unknown_name", "unknown name", {"problems": [problem]})
        return value

    classes = tuple(description.spec for description in registry.values())
    return Annotated[Union[classes], Discriminator("name"), BeforeValidator(require_known)]  # noqa: UP007  as many as there are


def _known_suite(name: str) -> str:
    if name not in suites():
        raise PydanticCustomError(
            "unknown_suite", "unknown suite '{name}'", {"name": name, "remedy": unknown_name(suites())}
        )
    return name


SuiteName = Annotated[str, AfterValidator(_known_suite)]


def describe_algorithm(spec: Any) -> AlgorithmDescription:
    """The description that the spec of an algorithm belongs to."""
    return algorithms()[spec.name]


def describe_method(spec: Any) -> MethodDescription:
    return methods()[spec.name]
