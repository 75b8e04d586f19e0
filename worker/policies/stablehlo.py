"""A policy as StableHLO, by `jax.export`: for JAX on a CPU or on CUDA, without our code and without Flax.

    from jax import export
    act = export.deserialize(open("policy.stablehlo", "rb").read()).call
    outputs = act(observations)      # {"action": [batch, ...], "mean": ..., "log_std": ...}

Weights are inside. The batch may have any size. JAX promises to read such a file for six months after it was written
(`docs/policies.md`), so it is never the only copy of a policy.
"""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from phylon.policy.network import ACTION, CHOSEN, OBSERVATION
from phylon.policy.operations import OPERATIONS, Operation, choose_each, run
from phylon.policy.policy import Policy
from phylon.worker.core.errors import EngineError

PLATFORMS = ("cpu", "cuda")


def to_stablehlo(policy: Policy) -> bytes:
    act = make_act(policy)
    shape = export.symbolic_shape(", ".join(["batch", *map(str, policy.observation_shape)]))
    observation = jax.ShapeDtypeStruct(shape, policy.card["observation"]["dtype"])
    with jax.numpy_rank_promotion("allow"):  # weights have no batch axis, here as in NumPy
        exported = export.export(jax.jit(act), platforms=PLATFORMS)(observation)
    try:
        return bytes(exported.serialize())
    except ImportError as error:
        raise EngineError(
            f"StableHLO files need the package {error.name or 'flatbuffers'}", "run: pip install 'phylon[policies]'"
        ) from None


def make_act(policy: Policy) -> Any:
    """observations [batch, ...] -> the mode's action, and the network's outputs."""
    network = policy.network
    weights = {name: jnp.asarray(array) for name, array in policy.weights.items()}

    def act(observation: jax.Array) -> dict[str, jax.Array]:
        values = run(jnp, network.steps, {OBSERVATION: observation.astype(jnp.float32)}, weights, JAX_OPERATIONS)
        outputs = {role: values[name] for role, name in network.outputs.items()}
        if network.counts:
            chosen = choose_each(jnp, outputs["logits"], network.counts)
        else:
            chosen = jnp.argmax(outputs["logits"], axis=-1) if "logits" in outputs else outputs["mean"]
        action = run(jnp, network.finish, {CHOSEN: chosen}, weights, JAX_OPERATIONS)[ACTION]
        # JAX has no 64 bits unless asked; the numbers are the same.
        return {ACTION: action.astype(jax.dtypes.canonicalize_dtype(policy.card["action"]["dtype"])), **outputs}

    return act


def _convolution(
    arrays: Any, inputs: list[jax.Array], weights: Mapping[str, jax.Array], settings: Mapping[str, Any]
) -> jax.Array:
    stride, margin = settings["stride"], settings["margin"]
    axes = ("NHWC", "HWIO", "NHWC")
    return (
        jax.lax.conv_general_dilated(
            inputs[0], weights["kernel"], (stride, stride), ((margin, margin),) * 2, dimension_numbers=axes
        )
        + weights["bias"]
    )


def _max_pool(
    arrays: Any, inputs: list[jax.Array], weights: Mapping[str, jax.Array], settings: Mapping[str, Any]
) -> jax.Array:
    borders = ((0, 0), (1, 1), (1, 1), (0, 0))
    return jax.lax.reduce_window(inputs[0], -np.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), borders)


JAX_OPERATIONS: Mapping[str, Operation] = {**OPERATIONS, "convolution": _convolution, "max_pool": _max_pool}
