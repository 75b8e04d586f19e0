"""Asynchronous PBT through the whole loop: deterministic by seed, resumed exactly, evaluated no more often."""

from typing import Any

import pytest

from phylon.contract.events import Lineage

from .runs import Killed, KilledAfter, frames_of, reproducible


@pytest.fixture
def spec(small_spec: dict[str, Any]) -> dict[str, Any]:
    """Evaluated every 40 steps and ready every 80 or so; a checkpoint lies between two evaluations."""
    method = {"name": "pbt", "interval": 80, "asynchronous": True, "selection": {"bottom": 0.5, "top": 0.25}}
    return small_spec | {
        "version": 2,
        "population": {"size": 4, "method": method},
        "evaluation": {"interval": 40, "episodes": 1, "final": 0},
        "checkpoint": {"interval": 200},
        "execution": {"strategy": "vectorized", "segment_steps": 20},
    }


def births(events: list[Any]) -> dict[int, list[int]]:
    return {event.step: [span.slot for span in event.spans] for event in events if isinstance(event, Lineage)}


def test_members_are_replaced_at_different_times(spec, train_here):
    events = train_here(spec)
    born = births(events)
    assert len(born) > 3, born
    assert all(step % 40 == 0 for step in born)
    assert set(frames_of(events, "evaluation/return")) == set(range(40, 401, 40)), "nothing is evaluated for it alone"
    together = births(train_here(spec | {"population": synchronous(spec)}, "together"))
    assert set(together) == {0, 80, 160, 240, 320} and set(born) != set(together)


def synchronous(spec: dict[str, Any]) -> dict[str, Any]:
    return spec["population"] | {"method": spec["population"]["method"] | {"asynchronous": False}}


def test_deterministic_by_seed_and_resumed_exactly(spec, train_here):
    whole = train_here(spec, "whole")
    assert reproducible(train_here(spec, "again")) == reproducible(whole)
    with pytest.raises(Killed):
        train_here(spec, "parts", commands=KilledAfter(13))
    assert reproducible(train_here(spec, "parts")) == reproducible(whole)
    assert births(train_here(spec, "other", seed=1)) != births(whole)
