"""Environments of people's own: those of the modules that workers' operators allowed."""

from collections.abc import Iterator
from datetime import timedelta

from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.workers import repository
from phylon.catalogue import EnvironmentEntry, Offer

KNOWN = timedelta(days=1)
"""How long a worker that is gone still counts: it may come back."""


def find_offers(session: Session) -> Iterator[Offer]:
    """What the service's catalogue has beside its files. A spec that names one keeps what is said of it here."""
    for environments in repository.reported_environments(session, clock.now() - KNOWN):
        for row in environments:
            yield Offer(EnvironmentEntry.model_validate(row))
