"""Whether a method of the PB2 family fits what is to be tuned. Part of the checks that need more than one field."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.spec.algorithms import tuned
from phylon.spec.distributions import Choice
from phylon.spec.pb2 import PB2FamilySpec, PB2Spec
from phylon.spec.problems import Problem, showable

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def family_fits_what_is_tuned(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A choice has no place in the box of `pb2`; without one the others would be `pb2` under another name."""
    method = spec.population.method
    if not isinstance(method, PB2FamilySpec):
        return
    distributions = tuned(spec.algorithm)
    choices = {name: value for name, value in distributions.items() if isinstance(value, Choice)}
    if isinstance(method, PB2Spec):
        for name, choice in choices.items():
            yield Problem(
                path=f"algorithm.{name}",
                value=showable(choice.model_dump(mode="json")),
                message="pb2 tunes numbers only, and a choice is none",
                remedy="use pb2_mix, pb2_mult or pb2_rand, or give it a range or a fixed value",
            )
    elif distributions and not choices:
        yield Problem(
            path="population.method.name",
            value=method.name,
            message="nothing that is tuned is a choice",
            remedy="use pb2, or give a hyper-parameter a choice",
        )


def window_holds_a_round(spec: "ExperimentSpec") -> Iterator[Problem]:
    method, size = spec.population.method, spec.population.size
    if isinstance(method, PB2FamilySpec) and method.window < size:
        yield Problem(
            path="population.method.window",
            value=method.window,
            message=f"smaller than the population of {size}, so not even one interval of each member is remembered",
            remedy=f"use at least {size}; 256 or more is usual",
        )
