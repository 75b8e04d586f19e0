"""Checks that need more than one field. Each yields problems that name the field to change.

What an algorithm, a method or a suite can do is asked of its description (`phylon.registry`); what one method alone
needs is checked in that method's own file.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from phylon.spec.checks.environment import (
    algorithm_fits_environment,
    environment_is_known,
    evaluation_policy_is_possible,
    films_are_possible,
    observations_can_be_normalised,
    options_fit_environment,
    wrappers_fit,
)
from phylon.spec.checks.population import (
    copies_are_possible,
    fitness_can_be_measured,
    founders_are_members,
    hosts_have_members,
    joint_learning_fits,
    method_fits,
    operators_move_something,
    truncation_replaces_someone,
)
from phylon.spec.checks.training import (
    execution_settings_are_read,
    resets_have_parts,
    rollouts_stand_alone,
    tuned_numbers_are_read,
    warmup_fits,
)
from phylon.spec.placement import device_replay_is_possible
from phylon.spec.problems import Problem
from phylon.spec.start import start_problems

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

CHECKS: tuple[Callable[["ExperimentSpec"], Iterator[Problem]], ...] = (
    environment_is_known,
    options_fit_environment,
    wrappers_fit,
    algorithm_fits_environment,
    evaluation_policy_is_possible,
    observations_can_be_normalised,
    method_fits,
    joint_learning_fits,
    truncation_replaces_someone,
    operators_move_something,
    founders_are_members,
    start_problems,
    copies_are_possible,
    tuned_numbers_are_read,
    rollouts_stand_alone,
    resets_have_parts,
    fitness_can_be_measured,
    execution_settings_are_read,
    device_replay_is_possible,
    films_are_possible,
    warmup_fits,
    hosts_have_members,
)


def cross_field_problems(spec: "ExperimentSpec") -> list[Problem]:
    return [found for check in CHECKS for found in check(spec)]
