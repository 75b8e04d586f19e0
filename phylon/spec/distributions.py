"""Numbers of an algorithm: one value for the whole population, or a distribution over members.

A distribution is the member's prior *and* its bounds: the first value is drawn from it, and no method ever leaves its
support. In YAML a number is written plainly (`discount: 0.99`) and a distribution by its name
(`discount: {uniform: [0.9, 1.0]}`).
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.quantities import read_count, read_number

Scale = Literal["linear", "log", "integer", "choice"]


class Model(BaseModel):
    """Every object of the language: immutable, and an unknown field is an error instead of a silent no-op."""

    # Attribute docstrings become the descriptions of the JSON schema, so they are written once.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings", use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _read_numbers(cls, written: Any) -> Any:
        """`1M` and `1e-3`, which YAML leaves as texts, wherever a field holds numbers and no texts."""
        if not isinstance(written, dict):
            return written
        fields = cast(dict[str, Any], written)
        readers = _readers(cls)
        return {name: readers[name](value) if name in readers else value for name, value in fields.items()}


Reader = Callable[[Any], Any]


@cache
def _readers(model: type[Model]) -> dict[str, Reader]:
    found = {name: _reader(field.annotation) for name, field in model.model_fields.items()}
    return {name: reader for name, reader in found.items() if reader is not None}


def _reader(annotation: Any) -> Reader | None:
    """How the numbers of a field are read; None for a field without numbers, or with texts beside them."""
    if get_origin(annotation) is dict:
        inner = _reader(get_args(annotation)[1])
        return inner and (lambda value: _read_values(inner, value))
    leaves = _leaves(annotation)
    if str in leaves or not leaves & {int, float}:
        return None
    return lambda value: _read_each(read_number if float in leaves else read_count, value)


def _leaves(annotation: Any) -> set[Any]:
    if isinstance(annotation, type) and not get_args(annotation):
        return {annotation}
    if get_origin(annotation) is Literal:
        return set()
    arguments = get_args(annotation)
    inner = arguments[:1] if get_origin(annotation) is Annotated else arguments
    return {leaf for argument in inner for leaf in _leaves(argument)}


def _read_each(read: Reader, value: Any, depth: int = 2) -> Any:
    """`depth`: lists of lists are as deep as any field goes."""
    if depth and isinstance(value, list | tuple):
        return [_read_each(read, item, depth - 1) for item in cast(list[Any], value)]
    return read(value)


def _read_values(read: Reader, value: Any) -> Any:
    return {key: read(item) for key, item in cast(dict[Any, Any], value).items()} if isinstance(value, dict) else value


# Strict: "5" is text and `true` is not 1, whatever a lenient reader would make of them.
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Whole = Annotated[int, Field(strict=True)]


class Range(NamedTuple):
    """Inclusive limits."""

    low: float
    high: float


def _ordered(pair: tuple[float, float]) -> tuple[float, float]:
    low, high = pair
    if not low < high:
        raise PydanticCustomError(
            "range_reversed",
            "the lower bound {low} is not below the upper bound {high}",
            {"low": low, "high": high, "remedy": f"write the smaller number first: [{min(pair)}, {max(pair)}]"},
        )
    return pair


def _positive(pair: tuple[float, float]) -> tuple[float, float]:
    if pair[0] <= 0:
        raise PydanticCustomError(
            "log_range_not_positive",
            "log_uniform needs a lower bound above 0, not {low}",
            {"low": pair[0], "remedy": "use uniform, or a small positive lower bound such as 1e-5"},
        )
    return pair


FloatPair = Annotated[tuple[Finite, Finite], AfterValidator(_ordered)]


class Uniform(Model):
    """Every value between the bounds is equally likely."""

    uniform: FloatPair


class LogUniform(Model):
    """Every order of magnitude between the bounds is equally likely; the usual prior of a learning rate."""

    log_uniform: Annotated[FloatPair, AfterValidator(_positive)]


class IntUniform(Model):
    """Every whole number between the bounds, both included, is equally likely."""

    int_uniform: Annotated[tuple[Whole, Whole], AfterValidator(_ordered)]


def _several(values: tuple[float, ...]) -> tuple[float, ...]:
    if len(set(values)) != len(values):
        raise PydanticCustomError("choice_repeated", "a choice lists a value twice", {"remedy": "list each value once"})
    return values


class Choice(Model):
    """One of the listed values. Their order matters: perturbation moves to a neighbour in the list."""

    choice: Annotated[tuple[Finite, ...], Field(min_length=2), AfterValidator(_several)]


Distribution = Uniform | LogUniform | IntUniform | Choice
DISTRIBUTIONS: dict[str, type[Distribution]] = {
    "uniform": Uniform,
    "log_uniform": LogUniform,
    "int_uniform": IntUniform,
    "choice": Choice,
}


def has_distribution(fields: Mapping[str, Any]) -> bool:
    """Whether any field of an algorithm, as it is written, is a distribution."""
    return any(
        isinstance(value, dict) and not DISTRIBUTIONS.keys().isdisjoint(cast(dict[str, Any], value))
        for value in fields.values()
    )


def bounds(value: float | Distribution) -> Range:
    """The limits that a hyper-parameter with this spec may never leave."""
    match value:
        case Uniform(uniform=(low, high)) | LogUniform(log_uniform=(low, high)) | IntUniform(int_uniform=(low, high)):
            return Range(low, high)
        case Choice(choice=values):
            return Range(min(values), max(values))
        case _:
            return Range(value, value)


def scale(distribution: Distribution) -> Scale:
    """How distances between values are to be understood, by a method and by a chart's axis."""
    match distribution:
        case Uniform():
            return "linear"
        case LogUniform():
            return "log"
        case IntUniform():
            return "integer"
        case Choice():
            return "choice"


def _kind(value: Any) -> str:
    """Which member of the union a raw value means, so that errors speak of that one alone."""
    if isinstance(value, tuple(DISTRIBUTIONS.values())):
        return next(name for name, kind in DISTRIBUTIONS.items() if isinstance(value, kind))
    if isinstance(value, dict) and len(value) == 1:  # pyright: ignore[reportUnknownArgumentType]
        name = str(next(iter(value)))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return name if name in DISTRIBUTIONS else "unknown"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "unknown"


class Legal(NamedTuple):
    """The values that an equation can accept, whatever the experiment says."""

    low: float
    high: float
    low_included: bool = True
    integer: bool = False

    def __call__(self, value: float | Distribution) -> float | Distribution:
        support = bounds(value)
        too_low = support.low < self.low or (support.low == self.low and not self.low_included)
        if too_low or support.high > self.high:
            raise PydanticCustomError(
                "out_of_legal_range",
                "{support} leaves the legal range {legal}",
                {"support": _spell(support), "legal": str(self), "remedy": f"keep it in {self}"},
            )
        if self.integer and not _whole(value):
            raise PydanticCustomError(
                "not_an_integer",
                "this hyper-parameter is a whole number",
                {"remedy": "use a whole number, int_uniform, or a choice of whole numbers"},
            )
        if not self.integer and isinstance(value, IntUniform):
            raise PydanticCustomError(
                "integer_distribution",
                "this hyper-parameter is a real number; int_uniform would draw whole numbers only",
                {"remedy": "use uniform or log_uniform"},
            )
        return value

    def __str__(self) -> str:
        return (
            f"{'[' if self.low_included else '('}{self.low:g}, {self.high:g}{']' if self.high < float('inf') else ')'}"
        )


def _spell(support: Range) -> str:
    return f"{support.low:g}" if support.low == support.high else f"[{support.low:g}, {support.high:g}]"


def _whole(value: float | Distribution) -> bool:
    match value:
        case IntUniform():
            return True
        case Choice(choice=values):
            return all(v.is_integer() for v in values)
        case Uniform() | LogUniform():
            return False
        case _:
            return float(value).is_integer()


def _finite(value: float) -> float:
    if value != value or value in (float("inf"), float("-inf")):
        raise PydanticCustomError(
            "not_finite", "{value} is not a finite number", {"value": str(value), "remedy": "use a finite number"}
        )
    return value


def _refuse_unknown(value: Any) -> Any:
    if _kind(value) == "unknown":
        raise PydanticCustomError(
            "not_a_number_or_distribution",
            "expected a number or one distribution",
            {
                "remedy": "write a number such as 0.001 or 1e-3, or one of {uniform: [low, high]}, "
                "{log_uniform: [low, high]}, {int_uniform: [low, high]}, {choice: [a, b]}"
            },
        )
    return value


class NameChoice(Model):
    """One of the listed names, each as likely as the others. It has no order."""

    choice: Annotated[tuple[str, ...], Field(min_length=2)]


class Named(NamedTuple):
    """The names that a categorical hyper-parameter may take; its value is the place in this list."""

    names: tuple[str, ...]

    def __call__(self, value: str | NameChoice) -> str | NameChoice:
        given = value.choice if isinstance(value, NameChoice) else (value,)
        unknown = [name for name in given if name not in self.names]
        if unknown or len(set(given)) != len(given):
            raise PydanticCustomError(
                "name_unknown",
                "{what}",
                {
                    "what": f"unknown name '{unknown[0]}'" if unknown else "a choice lists a name twice",
                    "remedy": f"use names of: {', '.join(self.names)}",
                },
            )
        return value


TunableName = str | NameChoice
"""A name for the whole population, or a choice of names: then it is per member. Annotate it with its `Named`."""


Tunable = Annotated[
    Annotated[float, AfterValidator(_finite), Tag("number")]
    | Annotated[Uniform, Tag("uniform")]
    | Annotated[LogUniform, Tag("log_uniform")]
    | Annotated[IntUniform, Tag("int_uniform")]
    | Annotated[Choice, Tag("choice")],
    Discriminator(_kind),
    BeforeValidator(_refuse_unknown),
]

Positive = Annotated[Tunable, AfterValidator(Legal(0, float("inf"), low_included=False))]
NonNegative = Annotated[Tunable, AfterValidator(Legal(0, float("inf")))]
UnitInterval = Annotated[Tunable, AfterValidator(Legal(0, 1))]
PositiveRate = Annotated[Tunable, AfterValidator(Legal(0, 1, low_included=False))]
PositiveInteger = Annotated[Tunable, AfterValidator(Legal(1, 1_000_000, integer=True))]
