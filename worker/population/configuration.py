"""A user's function over the whole configuration of a member: last and once, after its values have moved one by one.

As Ray Tune's `custom_explore_fn`: for what ties hyper-parameters together, which no move of a single value can respect.
"""

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from phylon.spec import hyperparameters, tuned
from phylon.spec.algorithms import AlgorithmSpec
from phylon.worker.core.errors import EngineError
from phylon.worker.core.keys import member_keys
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.population.custom import load_entry_point
from phylon.worker.population.explore import Move
from phylon.worker.population.hyperparams import prior

GROUP = "phylon.explores"
WORD = "custom"


class ReconfigureFn(Protocol):
    """Values and codes, [P] each, after the function has seen the members `who` (bool [P])."""

    def __call__(
        self, key: Key, who: Array, hyperparams: Hyperparams, changes: Mapping[str, Array]
    ) -> tuple[Hyperparams, dict[str, Array]]: ...


class Reconfiguration(NamedTuple):
    apply: ReconfigureFn
    moves: dict[str, Move]
    """The moves that come before, with a word for what the function changed."""


def build_reconfiguration(algorithm: AlgorithmSpec, entry_point: str, moves: Mapping[str, Move]) -> Reconfiguration:
    own, distributions = load_entry_point(GROUP, entry_point, entry_points), tuned(algorithm)
    clips = {name: prior(distribution).clip for name, distribution in distributions.items()}
    moves = {name: _with_word(move) for name, move in moves.items()}

    def of_one_member(key: Key, values: Hyperparams) -> Hyperparams:
        answer = own(key, dict(values), dict(distributions))
        _require_configuration(entry_point, answer, values, distributions)
        return {name: _hold(clips[name], values[name], answer.get(name, values[name])) for name in distributions}

    # What the function answers is looked at now, not at the first evolution, when hours of training lie behind.
    jax.eval_shape(of_one_member, jax.random.key(0), dict.fromkeys(hyperparameters(algorithm), jnp.float32(0)))

    def apply(
        key: Key, who: Array, hyperparams: Hyperparams, changes: Mapping[str, Array]
    ) -> tuple[Hyperparams, dict[str, Array]]:
        answers = jax.vmap(of_one_member)(member_keys(key, len(who)), hyperparams)
        values, codes = dict(hyperparams), dict(changes)
        for name, answer in answers.items():
            is_changed = who & (answer != hyperparams[name])
            values[name] = jnp.where(is_changed, answer, hyperparams[name])
            codes[name] = jnp.where(is_changed, moves[name].words.index(WORD), changes[name])
        return values, codes

    return Reconfiguration(apply, moves)


def _with_word(move: Move) -> Move:
    return move if WORD in move.words else move._replace(words=(*move.words, WORD))


def _hold(clip: Any, value: Array, answer: Any) -> Array:
    """The answer within its support; the value as it was where the answer is no number."""
    answer = jnp.asarray(answer, jnp.float32).reshape(())
    return jnp.where(jnp.isnan(answer), value, clip(answer))


def _require_configuration(
    entry_point: str, answer: Any, values: Hyperparams, distributions: Mapping[str, Any]
) -> None:
    if not isinstance(answer, Mapping):
        raise EngineError(
            f"the entry point '{entry_point}' of {GROUP} answered with {type(answer).__name__}, not a configuration",
            "return a dict of values by name; a name that is left out keeps its value",
        )
    for name in answer:
        if name not in distributions and answer[name] is not values.get(name):
            what = "is a fixed number here" if name in values else "is no hyper-parameter of this algorithm"
            raise EngineError(
                f"the entry point '{entry_point}' of {GROUP} changed '{name}', which {what}",
                f"change only what is tuned: {', '.join(distributions)}",
            )
