"""Deletes things for everyone who looks, at once and whatever their size. The sweeper removes what is left of them."""

from collections.abc import Iterable

from phylon.backend.kit import clock
from phylon.backend.models import Run
from phylon.backend.models.deletable import Deletable


def delete(*things: Deletable) -> None:
    at = clock.now()
    for thing in things:
        thing.deleted_at = at


def delete_runs(runs: Iterable[Run]) -> None:
    for run in runs:
        delete(run, run.job)
