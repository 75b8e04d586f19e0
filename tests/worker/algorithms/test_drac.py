"""DrAC: what it adds to PPO, and that members differ by the augmentation they were given."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import hyperparameters
from phylon.spec.algorithms.convolutions import CNNSpec
from phylon.spec.algorithms.drac import AUGMENTATION_NAMES, DrACSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.drac import data_penalty
from phylon.worker.algorithms.ppo import ppo_network
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.learning.augmentations import AUGMENTATIONS

STEPS, ENVS, ACTIONS, SIDE = 4, 2, 3, 12
INFO = EnvironmentInfo((SIDE, SIDE, 3), ACTIONS, None, True, "uint8", envs_per_member=ENVS)
NETWORK = CNNSpec(kind="cnn", channels=(4,), kernels=(4,), strides=(2,), hidden=(8,))
SPEC = DrACSpec(name="drac", rollout_steps=STEPS, epochs=1, minibatches=2, network=NETWORK)
COMPILED = {"compiler_options": fast_compile_options()}


def make_rollout():
    random = np.random.default_rng(0)
    shape = (STEPS, ENVS)
    images = random.integers(0, 256, (2, *shape, SIDE, SIDE, 3), np.uint8)
    action = random.integers(0, ACTIONS, shape).astype(np.int32)
    reward = random.normal(size=shape).astype(np.float32)
    none = np.zeros(shape, np.float32)
    return Rollout(Transition(images[0], action, reward, none, images[1]), none)


@pytest.fixture(scope="module")
def network():
    return ppo_network(SPEC, INFO)


@pytest.fixture(scope="module")
def params(network):
    """Wild enough for policies to differ between images."""
    return jax.tree.map(lambda leaf: 3 * leaf, jax.jit(network.init, **COMPILED)(jax.random.key(0)))


@pytest.fixture(scope="module")
def images():
    return make_rollout().transitions.obs.reshape(-1, SIDE, SIDE, 3)


@pytest.mark.parametrize("name", ["grayscale", "flip"])
def test_penalty_by_hand(network, params, images, numbers_of, name):
    numbers = numbers_of(SPEC, augmentation=AUGMENTATION_NAMES.index(name), augmentation_coefficient=0.3)
    said = network.apply(params, images)
    found, metrics = jax.jit(data_penalty(network), **COMPILED)(params, numbers, images, said, jax.random.key(5))

    augment_key, action_key = jax.random.split(jax.random.key(5))
    augmented = network.apply(params, AUGMENTATIONS[name](augment_key, jnp.asarray(images, jnp.float32) / 255))
    action = np.asarray(jax.random.categorical(action_key, said.policy.logits))
    logits = np.asarray(augmented.policy.logits)
    log_prob = logits[np.arange(len(images)), action] - np.log(np.exp(logits).sum(axis=1))
    policy_change = -log_prob.mean()
    value_change = 0.5 * np.square(np.asarray(said.value) - np.asarray(augmented.value)).mean()
    assert value_change > 1e-4
    assert float(metrics["policy_change"]) == pytest.approx(policy_change, rel=1e-3)
    assert float(metrics["value_change"]) == pytest.approx(value_change, rel=1e-3)
    assert float(found) == pytest.approx(0.3 * (policy_change + value_change), rel=1e-3)


def test_only_what_is_said_of_the_augmented_image_is_moved(network, params, images, numbers_of):
    """The policy and the value of the image itself are what the others are to become."""
    numbers = numbers_of(SPEC, augmentation_coefficient=1.0)

    def penalty(params, said):
        return data_penalty(network)(params, numbers, images, said, jax.random.key(5))[0]

    through_both = jax.jit(jax.grad(lambda params: penalty(params, network.apply(params, images))))(params)
    through_one = jax.jit(jax.grad(penalty))(params, network.apply(params, images))
    for both, one in zip(*map(jax.tree.leaves, (through_both, through_one)), strict=True):
        np.testing.assert_allclose(both, one, rtol=1e-4, atol=1e-6)


def test_every_hyperparameter_is_alive_and_none_recompiles(numbers_of, equal):
    """Least of all another augmentation."""
    algorithm, traces, rollout = build_algorithm(SPEC, INFO), [], make_rollout()

    def traced(*arguments):
        traces.append("update")
        return algorithm.update(*arguments)

    init, update = jax.jit(algorithm.init, **COMPILED), jax.jit(traced, **COMPILED)

    def two_updates(**changed):
        numbers = numbers_of(SPEC, **({"learning_rate": 0.02, "clip": 0.05} | changed))
        state = init(jax.random.key(0), numbers)
        for step in range(2):
            state, metrics = update(state, numbers, rollout, jax.random.key(step))
        assert all(np.isfinite(value) and value.shape == () for value in metrics.values())
        assert {"policy_change", "value_change", "policy_loss", "critic_loss"} <= set(metrics)
        return state

    usual = two_updates()
    for name, value in hyperparameters(SPEC).items():
        if name != "augmentation":
            assert not equal(usual, two_updates(**{name: 0.7 * value})), f"{name} is never read"
    states = [two_updates(augmentation=number) for number in range(len(AUGMENTATION_NAMES))]
    assert equal(usual, states[0])
    outputs = {np.asarray(jax.tree.leaves(state.params)[0]).tobytes() for state in states}
    assert len(outputs) == len(AUGMENTATION_NAMES)
    assert traces == ["update"]


@pytest.mark.parametrize("shape", [(17,), (64, 64, 4), (64, 48, 3)])
def test_other_than_square_colour_images_are_refused(shape):
    with pytest.raises(UnsupportedEnvironment, match="square colour images"):
        build_algorithm(SPEC, EnvironmentInfo(shape, ACTIONS, None, True))
