"""Policies that see images beside numbers and choose several things at once: all forms give the trainer's actions."""

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
from jax import export
from pydantic import TypeAdapter

from phylon.policy.flattening import flatten_batch
from phylon.policy.folder import policy_files, write_folder
from phylon.policy.making import describe_policy
from phylon.policy.network import NativeActions
from phylon.policy.onnx_format import to_onnx
from phylon.policy.parts import Part
from phylon.policy.policy import Policy
from phylon.spec.algorithms import AlgorithmSpec, tunable_fields
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.policies.stablehlo import to_stablehlo
from phylon.worker.training.checkpoint import flatten, strip_prefix
from phylon.worker.training.winner import spaces_of

PARTS = (
    Part(path=("speed",), kind="box", shape=(2,), dtype="float32", counts=(), starts=()),
    Part(path=("views", 0), kind="box", shape=(6, 6, 1), dtype="uint8", counts=(), starts=()),
    Part(path=("gear",), kind="discrete", shape=(), dtype="int64", counts=(3,), starts=(1,)),
    Part(path=("views", 1), kind="box", shape=(5, 5, 3), dtype="uint8", counts=(), starts=()),
)
SIZE = 2 + 36 + 3 + 75
INFO = EnvironmentInfo((SIZE,), 5, 100, action_counts=(3, 2), observation_parts=PARTS)
NATIVE = NativeActions((2,), "int64", starts=(10, -1))
SPEC = {
    "name": "ppo",
    "network": {"kind": "cnn", "channels": [3], "kernels": [3], "strides": [2], "hidden": [8]},
    "observations": {"normalise": True},
}
COUNT = 16


def test_all_forms_agree_and_take_the_original_structure(tmp_path):
    parse: TypeAdapter = TypeAdapter(AlgorithmSpec)
    spec = parse.validate_python(SPEC)
    algorithm, generator = build_algorithm(spec, INFO), np.random.default_rng(0)
    numbers = {name: jnp.float32(0.5) for name in tunable_fields(type(spec))}
    shapes = jax.eval_shape(algorithm.init, jax.random.key(0), numbers)

    def draw(leaf):
        return generator.normal(scale=0.5 if len(leaf.shape) > 1 else 0.02, size=leaf.shape).astype(leaf.dtype)

    state = jax.tree.map(draw, shapes)
    state = state._replace(observations=state.observations._replace(variance=np.full(SIZE, 0.3, np.float32)))
    observations = {
        "speed": generator.normal(size=(COUNT, 2)).astype(np.float32),
        "gear": generator.integers(1, 4, COUNT),
        "views": (
            generator.integers(0, 256, (COUNT, 6, 6, 1)).astype(np.uint8),
            generator.integers(0, 256, (COUNT, 5, 5, 3)).astype(np.uint8),
        ),
    }
    flat = flatten_batch(PARTS, observations)
    act = jax.jit(algorithm.act, static_argnums=4)
    truth = np.asarray(act(state, numbers, flat, jax.random.key(0), False)) + np.array(NATIVE.starts)
    assert len(np.unique(truth, axis=0)) > 2, "actions that are all the same would prove nothing"

    spaces = spaces_of(INFO)
    weights = strip_prefix("state", flatten("state", state))
    network = describe_policy(spec, spaces, NATIVE)
    write_folder(tmp_path / "policy", policy_files(network, weights, spaces, NATIVE, {}))
    policy = Policy.load(tmp_path / "policy")
    assert policy.parts == PARTS
    session = onnxruntime.InferenceSession(to_onnx(policy), providers=["CPUExecutionProvider"])
    second = {"speed": observations["speed"][1], "gear": 1, "views": [view[1] for view in observations["views"]]}
    forms = {
        "structure": policy.predict(observations)[0],
        "vectors": policy.predict(flat)[0],
        "StableHLO": export.deserialize(bytearray(to_stablehlo(policy))).call(flat)["action"],
        "ONNX": session.run(["action"], {"observation": flat})[0],
    }
    for form, actions in forms.items():
        np.testing.assert_array_equal(actions, truth, err_msg=form)
    one = policy.predict(second | {"gear": int(observations["gear"][1])})[0]
    assert one.tolist() == truth[1].tolist()
    policy.set_random_seed(0)
    drawn = policy.predict(observations, deterministic=False)[0]
    assert drawn.dtype == np.int64 and ((drawn >= [10, -1]) & (drawn <= [12, 0])).all()
