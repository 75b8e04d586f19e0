"""Puts a spec's wrappers around its environments, in the form in which the suite steps them."""

from pkgutil import resolve_name
from typing import TypeVar

from phylon.registry import suites, wrappers
from phylon.registry.descriptions import Refusal, WrappedForm
from phylon.spec.entries import plain_entry
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.environments.host import Purpose
from phylon.worker.environments.spaces import info_of

Wrapped = TypeVar("Wrapped")
"""A pool, an environment of Gymnasium, or one of pure functions."""


def wrap(environment: EnvironmentSpec, form: WrappedForm, plain: Wrapped, purpose: Purpose) -> Wrapped:
    """With the wrappers of this form, the first one nearest to the environment."""
    if not environment.wrappers:
        return plain
    entry = plain_entry(environment)
    if entry is None:
        raise UnsupportedEnvironment(f"nothing is known of '{environment.id}'", "write its environment.spaces")
    for spec in environment.wrappers:
        description = wrappers()[spec.name]
        changed = description.changes(spec, entry)
        if isinstance(changed, Refusal):
            raise UnsupportedEnvironment(*changed)
        entry, is_left_out = changed, description.is_for_training and purpose != "train"
        if description.form_in(suites()[environment.suite]) == form and not is_left_out:
            plain = resolve_name(description.engines[form])(spec, plain, info_of(entry))
    return plain
