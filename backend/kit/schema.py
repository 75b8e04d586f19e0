"""What every answer of the API is built from.

Output fields have no defaults: a default would make the generated TypeScript mark an always-present field as optional.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, WithJsonSchema
from typing_extensions import TypeAliasType

REAL_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]}

Real = TypeAliasType("Real", Annotated[float, WithJsonSchema(REAL_SCHEMA)])
"""A measured number. JSON has no NaN and no infinity, so these three cross the wire as strings."""


class Schema(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class InputSchema(BaseModel):
    """Base of all request bodies: an unknown field is an error instead of a silent no-op."""

    model_config = ConfigDict(frozen=True, extra="forbid")
