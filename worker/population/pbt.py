"""Population Based Training, synchronous (Jaderberg et al. 2017, arXiv 1711.09846), and the control without exploring.

    some members go on with the weights of others        (select)
    their hyper-parameters move away from what they were (explore)

When to evolve (interval, burn-in) is the training loop's business.
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
from phylon.worker.population.explore import build_moves, explore_members
from phylon.worker.population.method import Birth, Evolution, MethodState, PopulationMethod, PopulationScores
from phylon.worker.population.selection import build_selection


def pbt(spec: ExperimentSpec) -> PopulationMethod:
    method = spec.population.method
    assert isinstance(method, PBTSpec | NoOpSpec)
    explore, operators, everyone = KeepExplore(name="keep"), {}, False
    if isinstance(method, PBTSpec):
        explore, operators, everyone = method.explore, method.operators, method.explorers == "everyone"
    select = build_selection(method.selection, spec.population.size)
    moves = build_moves(spec.algorithm, explore, operators)
    slots = np.arange(spec.population.size, dtype=np.int32)

    def init(key: Key, hyperparams: Hyperparams) -> MethodState:
        del key, hyperparams
        return ()

    def evolve(
        key: Key, method_state: MethodState, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> Evolution[Array]:
        parents = select(derive(key, "select"), scores)
        if method.copying.hyperparams:
            hyperparams = {name: values[parents] for name, values in hyperparams.items()}
        who = jnp.ones_like(parents, bool) if everyone else parents != slots
        evolved, changes = explore_members(derive(key, "explore"), who, hyperparams, moves)
        return Evolution(method_state, parents, evolved, changes)

    def describe(evolution: Evolution[Any]) -> list[Birth | None]:
        codes = {name: np.asarray(code) for name, code in evolution.changes.items()}
        births: list[Birth | None] = []
        for slot, parent in enumerate(np.asarray(evolution.parents).tolist()):
            if parent == slot and not everyone:
                births.append(None)
                continue
            changes = {name: moves[name].words[codes[name][slot]] for name in moves}
            births.append(Birth(operator_of(changes), changes))
        return births

    return PopulationMethod(init, evolve, describe, method.copying)


def operator_of(changes: dict[str, str]) -> Operator:
    """The one word for a birth, from what was done to each of its hyper-parameters."""
    words = set(changes.values())
    if words == {"resample"}:
        return "resample"
    if "custom" in words:
        return "custom"
    return "copy" if words <= {"inherit"} else "perturb"
