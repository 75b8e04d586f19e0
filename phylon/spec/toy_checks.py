"""A toy algorithm is made for one environment of the suite `toy`, which no other algorithm can do anything with."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

from phylon.spec.algorithms import ToySpec
from phylon.spec.problems import Problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

CLIMBERS = {spec.environment: get_args(spec.model_fields["name"].annotation)[0] for spec in get_args(ToySpec)}
"""Which algorithm belongs to each environment of the suite."""


def toys_climb_their_own_problem(spec: "ExperimentSpec") -> Iterator[Problem]:
    algorithm, environment = spec.algorithm, spec.environment
    if isinstance(algorithm, ToySpec):
        if (environment.suite, environment.id) != ("toy", algorithm.environment):
            yield Problem(
                path="algorithm.name",
                value=algorithm.name,
                message=f"{algorithm.name} is a toy for {algorithm.environment} of suite 'toy' alone",
                remedy=f"write environment: {{suite: toy, id: {algorithm.environment}}}, or choose another algorithm",
            )
    elif environment.suite == "toy" and environment.id in CLIMBERS:
        yield Problem(
            path="environment.suite",
            value="toy",
            message=f"there is nothing to learn for {algorithm.name} in {environment.id}: its action is the answer",
            remedy=f"use the algorithm {CLIMBERS[environment.id]}, or another suite",
        )
