"""An exported policy beside the trainer's own `act`, on observations of all kinds."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.policy.folder import TOLERANCE
from phylon.policy.policy import Policy
from phylon.spec import ExperimentSpec
from phylon.spec.algorithms import tunable_fields
from phylon.spec.segments import update_numbers
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.training.checkpoint import name_of

OBSERVATIONS = 64


def compare_with_trainer(spec: ExperimentSpec, info: EnvironmentInfo, policy: Policy) -> float:
    """The largest difference of an action; one beyond the tolerance is an error.

    Discrete actions are equal wherever the best two values are not: there they count as 0, elsewhere as 1.
    """
    algorithm = build_algorithm(spec.algorithm, info, update_numbers(spec))
    numbers = {name: jnp.float32(0.5) for name in tunable_fields(type(spec.algorithm))}  # an action's mode reads none
    shapes = jax.eval_shape(algorithm.init, jax.random.key(0), numbers)

    def fill(path: Any, leaf: Any) -> Any:
        """What the policy does not have, its action does not depend on."""
        return policy.weights.get(name_of(path), np.zeros(leaf.shape, leaf.dtype))

    state = jax.tree_util.tree_map_with_path(fill, shapes)
    obs = _observations(info, policy)
    theirs = np.asarray(jax.jit(algorithm.act, static_argnums=4)(state, numbers, obs, jax.random.key(0), False))
    ours = policy.act(obs)
    if info.has_choices:
        is_clear = np.stack([_is_clear(logits) for logits in _choices(policy, obs)], axis=-1)
        is_other = (ours != theirs).reshape(is_clear.shape)
        difference = float(np.max(is_other & is_clear, initial=0))
    else:
        difference = float(np.max(np.abs(ours - theirs)))
    if not difference <= TOLERANCE:
        raise EngineError(
            f"the exported policy's actions differ from the trainer's by {difference:.2g}",
            "report it with the run's spec; the policy in the folder is not to be used",
        )
    return difference


def _choices(policy: Policy, obs: NDArray[Any]) -> list[NDArray[Any]]:
    """The logits [observations, values] of each choice."""
    logits, counts = policy.outputs(obs)["logits"], policy.network.counts
    return np.split(logits, np.cumsum(counts)[:-1], axis=-1) if counts else [logits]


def _is_clear(logits: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the best value is not as good as another one's."""
    if logits.shape[-1] == 1:
        return np.ones(len(logits), np.bool_)
    best, second = np.sort(logits, axis=-1)[:, [-1, -2]].T
    return best - second > TOLERANCE


def _observations(info: EnvironmentInfo, policy: Policy) -> NDArray[Any]:
    generator = np.random.default_rng(0)
    shape = (OBSERVATIONS, *info.observation_shape)
    if info.observation_dtype == "uint8":
        return generator.integers(0, 256, shape, np.uint8)
    return generator.normal(scale=2.0, size=shape).astype(np.float32)
