"""Replay: fresh members follow a schedule of hyper-parameters that a population once found; nobody is copied."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from phylon.spec import ExperimentSpec
from phylon.spec.algorithms import names_of
from phylon.spec.schedule_method import ScheduleSpec
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores


def prescribe(spec: ExperimentSpec, step: int) -> dict[str, float]:
    """What a schedule prescribes at this step, by hyper-parameter; nothing for other methods."""
    method = spec.population.method
    if not isinstance(method, ScheduleSpec):
        return {}
    values: dict[str, float] = {}
    for entry in method.schedule:
        if entry.step <= step:
            values |= {name: _as_number(spec, name, value) for name, value in entry.values.items()}
    return values


def schedule(spec: ExperimentSpec) -> PopulationMethod:
    method, size = spec.population.method, spec.population.size
    assert isinstance(method, ScheduleSpec)
    steps = np.array([entry.step for entry in method.schedule], np.int32)
    names = list(prescribe(spec, int(steps[-1])))
    table = {name: np.array([prescribe(spec, int(step)).get(name, np.nan) for step in steps]) for name in names}

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return ()

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        del key
        place = jnp.searchsorted(steps, scores.step, side="right") - 1
        evolved, changes = dict(hyperparams), dict[str, Array]()
        for name in names:
            value = jnp.asarray(table[name], jnp.float32)[place]
            evolved[name] = jnp.where(jnp.isnan(value), hyperparams[name], value)
            changes[name] = (evolved[name] != hyperparams[name]).astype(jnp.int32)
        return Evolution(method_state, jnp.arange(size, dtype=jnp.int32), evolved, changes)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        births: list[Birth | None] = []
        for slot in range(size):
            changes = {name: "schedule" if codes[slot] else "inherit" for name, codes in evolution.changes.items()}
            births.append(Birth("schedule", changes) if "schedule" in changes.values() else None)
        return births

    return PopulationMethod(init, evolve, describe)


def _as_number(spec: ExperimentSpec, name: str, value: float | str) -> float:
    names = names_of(type(spec.algorithm), name)
    return float(names.index(value)) if names and isinstance(value, str) else float(value)
