"""What every read model and every request is built from.

Fields of read models have no defaults: a default would make the generated TypeScript mark an always-present field as
optional.
"""

from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from typing_extensions import TypeAliasType

Real = TypeAliasType(
    "Real",
    Annotated[
        float,
        WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]}),
    ],
)
"""A measured number. JSON has no NaN and no infinity, so these three cross the wire as strings."""

Item = TypeVar("Item")


class ReadModel(BaseModel):
    """Base of all answers. A field that only a newer service knows is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="strings", use_attribute_docstrings=True)


class Request(BaseModel):
    """Base of all request bodies: an unknown field is an error instead of a silent no-op."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Page(ReadModel, Generic[Item]):
    """A part of a list. Every list of the API has this shape."""

    # Pydantic cannot find the docstrings of a generic class's attributes once it has parameters.
    model_config = ConfigDict(use_attribute_docstrings=False)

    items: list[Item]
    total: Annotated[int, Field(description="Items of the whole list, whatever part of it this is.")]
    next: Annotated[
        str | None,
        Field(
            description="Pass it as `after` for the items that follow. Null where the list ends; a log, which may "
            "still grow, always has one."
        ),
    ]
