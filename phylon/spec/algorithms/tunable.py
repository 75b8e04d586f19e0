"""The numbers of an algorithm: fields that declare a legal range."""

from typing import TYPE_CHECKING

from pydantic import AfterValidator

from phylon.spec.distributions import Choice, Distribution, Legal, Model, NameChoice, Named

if TYPE_CHECKING:
    from phylon.spec.algorithms.union import AlgorithmSpec


def hyperparameters(algorithm: "AlgorithmSpec") -> dict[str, float | Distribution]:
    """The numbers of an algorithm by field, in declaration order. A name counts as its place in the list of names."""
    return {field: _as_number(algorithm, field) for field in tunable_fields(type(algorithm))}


def tuned(algorithm: "AlgorithmSpec") -> dict[str, Distribution]:
    """The numbers that differ between members, which a method may change."""
    return {name: value for name, value in hyperparameters(algorithm).items() if isinstance(value, Model)}


def tunable_fields(algorithm: type[Model]) -> list[str]:
    """A number differs from structure by its legal range, which only numbers declare."""
    return [field for field in algorithm.model_fields if legal_values(algorithm, field) is not None]


def names_of(algorithm: type[Model], field: str) -> tuple[str, ...] | None:
    """What the values 0, 1, 2, … of a categorical hyper-parameter are called; None for a number."""
    legal = legal_values(algorithm, field)
    return legal.names if isinstance(legal, Named) else None


def legal_values(algorithm: type[Model], field: str) -> Legal | Named | None:
    """The values that a hyper-parameter may take; None for structure."""
    for item in algorithm.model_fields[field].metadata:
        if isinstance(item, AfterValidator) and isinstance(item.func, Legal | Named):
            return item.func
    return None


def _as_number(algorithm: "AlgorithmSpec", field: str) -> float | Distribution:
    value = getattr(algorithm, field)
    names = names_of(type(algorithm), field)
    if names is None:
        return value
    if isinstance(value, NameChoice):
        return Choice(choice=tuple(float(names.index(name)) for name in value.choice))
    return float(names.index(value))
