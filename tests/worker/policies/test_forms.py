"""Every form of a policy gives the trainer's own actions: NumPy, StableHLO and ONNX, for every algorithm and torso."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
import pytest
from jax import export
from pydantic import TypeAdapter

from phylon.policy.folder import TOLERANCE, policy_files, to_archive, write_folder
from phylon.policy.making import describe_policy
from phylon.policy.network import NativeActions, Spaces
from phylon.policy.onnx_format import to_onnx
from phylon.policy.policy import Policy
from phylon.registry import algorithms
from phylon.spec.algorithms import AlgorithmSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.ppo import ppo_network
from phylon.worker.core.types import Algorithm, EnvironmentInfo
from phylon.worker.environments.spaces import scaled
from phylon.worker.learning.observation_statistics import normalise
from phylon.worker.networks import action_values
from phylon.worker.policies.stablehlo import to_stablehlo
from phylon.worker.training.checkpoint import flatten, strip_prefix

OBSERVATIONS = 32
DRAWS = 4000
LOW, HIGH = (-2.0, 0.5), (2.0, 3.0)

VECTOR = EnvironmentInfo((5,), 2, 100)
CHOICE = EnvironmentInfo((5,), 3, 100, is_discrete=True)
FRAMES = EnvironmentInfo((20, 20, 2), 3, 100, is_discrete=True, observation_dtype="uint8")
COLOURS = EnvironmentInfo((11, 11, 3), 3, 100, is_discrete=True, observation_dtype="uint8")
PIXELS_TO_FORCES = EnvironmentInfo((11, 11, 3), 2, 100, observation_dtype="uint8")
CNN = {"kind": "cnn", "channels": [3, 4], "kernels": [4, 3], "strides": [2, 1], "hidden": [8]}
NORMALISED = {"normalise": True, "clip": 1.0}
IMPALA = {"kind": "impala", "channels": [3, 4], "hidden": [8]}


class Case(NamedTuple):
    spec: dict[str, Any]
    info: EnvironmentInfo


CASES = {
    "td3, normalised": Case({"name": "td3", "network": {"hidden": [8, 8]}, "observations": NORMALISED}, VECTOR),
    "td3, silu": Case({"name": "td3", "network": {"hidden": [8], "activation": "silu"}}, VECTOR),
    "ddpg, first layer norm": Case({"name": "ddpg", "network": {"hidden": [8, 8], "layer_norm": "first"}}, VECTOR),
    "sac, gelu and layer norms": Case(
        {"name": "sac", "network": {"hidden": [8, 8], "activation": "gelu", "layer_norm": "all"}}, VECTOR
    ),
    "ppo, discrete": Case({"name": "ppo", "network": {"hidden": [8], "activation": "tanh"}}, CHOICE),
    "ppo, continuous": Case(
        {
            "name": "ppo",
            "torsos": "shared",
            "network": {"hidden": [8], "activation": "elu"},
            "observations": {"normalise": True, "clip": 1.0},
        },
        VECTOR,
    ),
    "ppo, images to forces": Case({"name": "ppo", "network": CNN}, PIXELS_TO_FORCES),
    "drac, impala": Case({"name": "drac", "network": IMPALA}, COLOURS),
    "dqn, convolutions": Case({"name": "dqn", "network": CNN}, FRAMES),
    "dqn, dueling impala, normalised": Case(
        {"name": "dqn", "dueling": True, "network": IMPALA, "observations": NORMALISED}, COLOURS
    ),
}
parse: TypeAdapter[Any] = TypeAdapter(AlgorithmSpec)


def test_every_algorithm_that_describes_its_policy_has_a_case() -> None:
    described = {name for name, each in algorithms().items() if each.policy is not None}
    assert {case.spec["name"] for case in CASES.values()} >= described - {"reinforce"}  # the example package's
    assert {name for name in algorithms()} - described <= {"surrogate_ascent", "triangle_climb", "reinforce"}


@pytest.mark.parametrize("name", CASES)
def test_all_forms_give_the_trainers_actions(name: str, tmp_path: Path) -> None:
    spec, info = parse.validate_python(CASES[name].spec), CASES[name].info
    algorithm = build_algorithm(spec, info)
    state = _random_state(algorithm, spec)
    act = jax.jit(
        lambda obs, explore: algorithm.act(state, _numbers(spec), obs, jax.random.key(1), explore), static_argnums=1
    )
    obs = _observations(info)
    truth = np.asarray(act(obs, False))
    truth = truth + 1 if info.is_discrete else np.asarray(scaled(truth, np.float32(LOW), np.float32(HIGH)))
    policy = _exported(spec, info, state, tmp_path)
    said = next(iter(policy.outputs(obs).values()))
    assert np.ptp(said, axis=0).max() > 1000 * TOLERANCE, "outputs that are all the same would prove nothing"
    scale = 1.0 if info.is_discrete else max(np.subtract(HIGH, LOW)) / 2
    predicted, memory = policy.predict(obs, state="kept")
    assert memory == "kept"
    assert predicted.shape == truth.shape and predicted.dtype == ("int64" if info.is_discrete else "float32")
    one = policy.predict(obs[2])[0]
    assert one.shape == truth.shape[1:]
    onnx = _run_onnx(policy, obs)
    forms = {
        "NumPy": predicted,
        "one by one": np.stack([policy.predict(each)[0] for each in obs]),
        "StableHLO": export.deserialize(bytearray(to_stablehlo(policy))).call(obs)["action"],
        "ONNX": onnx["action"],
    }
    if info.is_discrete:  # equal choices could hide unequal values
        values = np.asarray(jax.jit(functools.partial(_logits, spec, info))(state, obs))
        for form, logits in {"NumPy": policy.outputs(obs)["logits"], "ONNX": onnx["logits"]}.items():
            np.testing.assert_allclose(logits, values, atol=TOLERANCE, rtol=TOLERANCE, err_msg=form)
    for form, action in forms.items():
        np.testing.assert_allclose(action, truth, atol=TOLERANCE * scale, rtol=0, err_msg=form)
    _check_draws(policy, obs[:1], lambda batch: np.asarray(act(batch, True)), info)


def _logits(spec: Any, info: EnvironmentInfo, state: Any, obs: jax.Array) -> jax.Array:
    """What the trainer's networks say of discrete actions."""
    if state.observations is not None:
        obs = normalise(state.observations, obs, spec.observations.clip)
    if spec.name == "dqn":
        return action_values(spec.network, info, spec.dueling).apply(state.critic, obs)
    return ppo_network(spec, info).apply(state.params, obs).policy.logits


def _check_draws(policy: Policy, obs: Any, draw: Callable[[Any], Any], info: EnvironmentInfo) -> None:
    """Seeded draws repeat, and have the trainer's distribution; without a distribution there is nothing to draw."""
    batch = np.repeat(obs, DRAWS, axis=0)
    policy.set_random_seed(3)
    drawn = policy.predict(batch, deterministic=False)[0]
    policy.set_random_seed(3)
    np.testing.assert_array_equal(policy.predict(batch, deterministic=False)[0], drawn)
    if not policy.network.is_stochastic:
        assert len(np.unique(drawn, axis=0)) == 1
        return
    theirs = draw(batch)
    if info.is_discrete:
        shares = [np.bincount(actions, minlength=info.action_size) / DRAWS for actions in (drawn - 1, theirs)]
        np.testing.assert_allclose(*shares, atol=0.05)
        return
    theirs = np.asarray(scaled(np.clip(theirs, -1, 1), np.float32(LOW), np.float32(HIGH)))
    np.testing.assert_allclose(drawn.mean(0), theirs.mean(0), atol=0.2)
    np.testing.assert_allclose(drawn.std(0), theirs.std(0), atol=0.2)


def _exported(spec: Any, info: EnvironmentInfo, state: Any, folder: Path) -> Policy:
    """Written and loaded again, as a folder and as a zip file."""
    spaces = Spaces(info.observation_shape, info.observation_dtype, info.action_size, info.is_discrete)
    native = NativeActions((), "int64", start=1) if info.is_discrete else NativeActions((2,), "float32", LOW, HIGH)
    network = describe_policy(spec, spaces, native)
    files = policy_files(network, strip_prefix("state", flatten("state", state)), spaces, native, {})
    write_folder(folder / "policy", files)
    (folder / "policy.zip").write_bytes(to_archive(files))
    policy, zipped = Policy.load(folder / "policy"), Policy.load(folder / "policy.zip")
    assert policy.card == zipped.card
    for name, weights in policy.weights.items():
        np.testing.assert_array_equal(weights, zipped.weights[name])
    return policy


def _run_onnx(policy: Policy, obs: Any) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(to_onnx(policy), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"observation": obs}), strict=True))


def _numbers(spec: Any) -> dict[str, jax.Array]:
    """A value for every hyper-parameter; none of them matters to a policy's mode."""
    from phylon.spec.algorithms import tunable_fields

    return {name: jnp.float32(0.5) for name in tunable_fields(type(spec))}


def _random_state(algorithm: Algorithm, spec: Any) -> Any:
    """Weights that are all different: many start at zero, where a mistake would not show. Nothing is compiled."""
    generator = np.random.default_rng(7)

    def draw(leaf: jax.ShapeDtypeStruct) -> Any:
        scale = 0.1 if len(leaf.shape) == 1 else 1 / np.sqrt(max(1, np.prod(leaf.shape[:-1])))
        return (scale * generator.normal(size=leaf.shape)).astype(leaf.dtype)

    state = jax.tree.map(draw, jax.eval_shape(algorithm.init, jax.random.key(0), _numbers(spec)))
    if state.observations is None:
        return state
    return state._replace(observations=state.observations._replace(variance=np.abs(state.observations.variance) + 1))


def _observations(info: EnvironmentInfo) -> Any:
    generator = np.random.default_rng(0)
    shape = (OBSERVATIONS, *info.observation_shape)
    if info.observation_dtype == "uint8":
        brightness = generator.uniform(size=(OBSERVATIONS, *[1] * len(info.observation_shape))) ** 3
        return (brightness * generator.integers(0, 256, shape)).astype(np.uint8)
    return generator.normal(scale=3, size=shape).astype(np.float32)
