"""What a query says, as plain tuples."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, Union

from phylon.query.fields import Field

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~", "in"]
Value = float | str | None
"""None is `none`: the field has no value."""


class Comparison(NamedTuple):
    field: Field
    operator: Operator
    values: tuple[Value, ...]
    """One, or several for `in`. Numbers where the field is a number, seconds since 1970 where it is a time, 1 and 0
    where it is yes or no; for a spec value the text as it was written."""


class Search(NamedTuple):
    """A word without a field: in the name, the environment, the algorithm or a tag."""

    word: str


class Not(NamedTuple):
    part: "Query"


class And(NamedTuple):
    parts: "tuple[Query, ...]"


class Or(NamedTuple):
    parts: "tuple[Query, ...]"


Query = Union[Comparison, Search, Not, And, Or]  # noqa: UP007 - it names itself


def fields_of(query: Query) -> Iterator[Field]:
    match query:
        case Comparison(field=field):
            yield field
        case Search():
            return
        case Not(part=part):
            yield from fields_of(part)
        case And(parts=parts) | Or(parts=parts):
            for part in parts:
                yield from fields_of(part)
