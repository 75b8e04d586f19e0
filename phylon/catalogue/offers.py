"""Environments that no catalogue file lists: those of a user's own package, as described where they are installed.

A worker reports those of the modules that its operator allowed, and the service offers them while it reads a spec; in
the foreground the trainer's own Python is asked. Only their names and spaces come here, never their code.
"""

import contextlib
import json
from collections.abc import Generator, Iterable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NamedTuple

from phylon.catalogue.entry import EnvironmentEntry

Options = Mapping[str, Any]


class Offer(NamedTuple):
    entry: EnvironmentEntry
    options: Options = MappingProxyType({})
    """Those that it was made with."""


_offers: ContextVar[tuple[Offer, ...]] = ContextVar("environment offers", default=())


@contextlib.contextmanager
def offering(offers: Iterable[Offer]) -> Generator[None]:
    """While this lasts, a spec may name these environments too."""
    token = _offers.set((*_offers.get(), *offers))
    try:
        yield
    finally:
        _offers.reset(token)


def offered() -> list[EnvironmentEntry]:
    """Those that were made without options, each once."""
    return list({entry.id: entry for entry, options in _offers.get() if not options}.values())


def find_offer(suite: str, id: str, options: Options) -> EnvironmentEntry | None:
    """As it is with these options, or else without any."""
    found = {
        _key(offer.options): offer.entry
        for offer in _offers.get()
        if (offer.entry.suite, offer.entry.id) == (suite, id)
    }
    return found.get(_key(options), found.get(_key({})))


def _key(options: Options) -> str:
    return json.dumps(dict(options), sort_keys=True)
