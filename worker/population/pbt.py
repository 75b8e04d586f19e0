"""Population Based Training (Jaderberg et al. 2017, arXiv 1711.09846), and the control without exploring.

    some members go on with the weights of others        (select)
    their hyper-parameters move away from what they were (explore)

When to evolve (interval, burn-in) is the training loop's business, unless members are judged one by one: then those who
are ready are ranked among all, and everyone else is left alone (`readiness.py`).
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from phylon.contract.events import Operator
from phylon.spec import ExperimentSpec, PBTSpec
from phylon.spec.explore import KeepExplore
from phylon.spec.methods.pbt import NoOpSpec
from phylon.worker.core.keys import derive
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.configuration import build_reconfiguration
from phylon.worker.population.explore import build_moves, explore_members
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores
from phylon.worker.population.readiness import build_readiness
from phylon.worker.population.selection import build_selection


def pbt(spec: ExperimentSpec) -> PopulationMethod:
    method = spec.population.method
    assert isinstance(method, PBTSpec | NoOpSpec)
    explore, operators, everyone, reconfigure = KeepExplore(name="keep"), {}, False, None
    if isinstance(method, PBTSpec):
        explore, operators, everyone = method.explore, method.operators, method.explorers == "everyone"
    select = build_selection(method.selection, spec.population.size)
    moves = build_moves(spec.algorithm, explore, operators)
    if isinstance(method, PBTSpec) and method.explore_configuration is not None:
        reconfigure, moves = build_reconfiguration(spec.algorithm, method.explore_configuration, moves)
    slots = np.arange(spec.population.size, dtype=np.int32)
    asynchronous = getattr(method, "asynchronous", None)
    readiness = build_readiness(spec, asynchronous) if asynchronous is not None else None

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del hyperparams
        return readiness.begin(key) if readiness else ()

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        parents, judged = select(derive(key, "select"), scores), jnp.ones(len(slots), bool)
        if readiness:
            judged = readiness.find(method_state, scores.step)
            parents = jnp.where(judged, parents, slots)
            method_state = readiness.renew(derive(key, "ready"), method_state, scores.step)
        if method.copying.hyperparams:
            hyperparams = {name: values[parents] for name, values in hyperparams.items()}
        who = judged if everyone else parents != slots
        evolved, changes = explore_members(derive(key, "explore"), who, hyperparams, moves)
        if reconfigure is not None:
            evolved, changes = reconfigure(derive(key, "configuration"), who, evolved, changes)
        return Evolution(method_state, parents, evolved, changes, explored_from=hyperparams)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        codes = {name: np.asarray(code) for name, code in evolution.changes.items()}
        births: list[Birth | None] = []
        for slot, parent in enumerate(np.asarray(evolution.parents).tolist()):
            if parent == slot and all(code[slot] < 0 for code in codes.values()):
                births.append(None)
                continue
            changes = {name: moves[name].words[codes[name][slot]] for name in moves}
            births.append(Birth(operator_of(changes), changes))
        return births

    is_ready = readiness.is_anyone if readiness else None
    return PopulationMethod(init, evolve, describe, method.copying, is_ready=is_ready)


def operator_of(changes: dict[str, str]) -> Operator:
    """The one word for a birth, from what was done to each of its hyper-parameters."""
    words = set(changes.values())
    if words == {"resample"}:
        return "resample"
    if "custom" in words:
        return "custom"
    return "copy" if words <= {"inherit"} else "perturb"
