"""What one decision costs in each form of an exported policy: NumPy, ONNX and StableHLO, at batch 1 and 256.

A SAC policy with two hidden layers of 256 and normalised observations (17 numbers in, 6 out), and a DQN with the
network of Mnih et al. for 84 x 84 x 4 frames. Times are the processor's, which other programs
do not lengthen: the least of many calls, observations already in memory. Run
it on one core: `taskset -c 0 python -m benchmarks.policies`. Needs `pip install 'phylon[policies]' onnxruntime`.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import onnxruntime
from jax import export
from pydantic import TypeAdapter

from benchmarks import report
from phylon.policy.folder import policy_files
from phylon.policy.making import describe_policy
from phylon.policy.names import CARD_FILE
from phylon.policy.network import Spaces, normalised_actions
from phylon.policy.onnx_format import to_onnx
from phylon.policy.policy import Policy
from phylon.spec.algorithms import AlgorithmSpec, tunable_fields
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.policies.stablehlo import to_stablehlo
from phylon.worker.training.checkpoint import flatten, strip_prefix

SECONDS, FEWEST_CALLS = 1.0, 5
BATCHES = (1, 256)
CASES: dict[str, tuple[dict[str, Any], EnvironmentInfo]] = {
    "SAC, 256 x 256": ({"name": "sac", "observations": {"normalise": True}}, EnvironmentInfo((17,), 6, 1000)),
    "DQN, Nature CNN": (
        {"name": "dqn", "network": {"kind": "cnn"}},
        EnvironmentInfo((84, 84, 4), 6, 1000, is_discrete=True, observation_dtype="uint8"),
    ),
}


def make(document: dict[str, Any], info: EnvironmentInfo) -> Policy:
    spec = TypeAdapter[Any](AlgorithmSpec).validate_python(document)
    numbers = {name: np.float32(0.5) for name in tunable_fields(type(spec))}
    state = jax.jit(build_algorithm(spec, info).init)(jax.random.key(0), numbers)
    spaces = Spaces(info.observation_shape, info.observation_dtype, info.action_size, info.is_discrete)
    native = normalised_actions(spaces)
    network = describe_policy(spec, spaces, native)
    weights = strip_prefix("state", flatten("state", state))
    return Policy(json.loads(policy_files(network, weights, spaces, native, {})[CARD_FILE]), weights)


def forms(policy: Policy) -> dict[str, tuple[int, Callable[[Any], Any]]]:
    """By name: bytes of its file, and a function of a batch."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model, lowered = to_onnx(policy), to_stablehlo(policy)
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    call = jax.jit(export.deserialize(bytearray(lowered)).call)
    size = sum(array.nbytes for array in policy.weights.values())
    return {
        "NumPy": (size, policy.predict),
        "ONNX": (len(model), lambda obs: session.run(["action"], {"observation": obs})),
        "StableHLO": (len(lowered), lambda obs: jax.block_until_ready(call(obs)["action"])),
    }


def least_seconds(act: Callable[[Any], Any], obs: Any) -> float:
    act(obs)  # StableHLO is compiled at its first call
    taken: list[float] = []
    while len(taken) < FEWEST_CALLS or sum(taken) < SECONDS:
        start = time.process_time()
        act(obs)
        taken.append(time.process_time() - start)
    return min(taken)


if __name__ == "__main__":
    rows: list[list[str]] = []
    generator = np.random.default_rng(0)
    for name, (document, info) in CASES.items():
        policy = make(document, info)
        for form, (size, act) in forms(policy).items():
            shapes = [(batch, *info.observation_shape) for batch in BATCHES]
            batches = [(generator.uniform(size=shape) * 255).astype(info.observation_dtype) for shape in shapes]
            least = [least_seconds(act, obs) for obs in batches]
            rows.append([name, form, *(f"{1e6 * seconds:,.0f}" for seconds in least), f"{size / 1000:,.0f}"])
    header = ["policy", "form", *(f"batch {batch}, µs" for batch in BATCHES), "file, kB"]
    note = f"{report.machine()}, onnxruntime {onnxruntime.__version__}."
    what = " ".join((__doc__ or "").split())
    text = f"# What a decision costs\n\n{what}\n\n{note}\n\n{report.table(header, rows)}\n"
    report.write("policies", text)
