"""PyTorch's twins do the same work as the engine: the same numbers after updates from the same weights and batches."""

from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")

from pydantic import TypeAdapter  # noqa: E402

from phylon.spec import AlgorithmSpec, hyperparameters  # noqa: E402
from phylon.worker.algorithms import build_algorithm  # noqa: E402
from phylon.worker.algorithms.ppo import shuffled  # noqa: E402
from phylon.worker.core.keys import derive, member_keys  # noqa: E402
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition  # noqa: E402
from phylon.worker.studies.torch_twins import build_twin  # noqa: E402
from phylon.worker.studies.torch_twins.dqn import DQNTwin  # noqa: E402
from phylon.worker.studies.workload import ACTIONS, BUTTONS, VECTOR, Data  # noqa: E402
from tests.worker.studies import twin_weights as weights  # noqa: E402

MEMBERS, UPDATES, BATCH = 3, 2, 4
IMAGE = (12, 12, 2)
RATES = {"policy_learning_rate": 0.01, "critic_learning_rate": 0.02, "discount": 0.9, "target_rate": 0.3}
SPECS: dict[str, dict[str, Any]] = {
    "td3": {"network": {"hidden": [8, 6]}, **RATES},
    "ddpg": {"network": {"hidden": [8, 6], "init": "uniform"}, **RATES},
    "sac": {"network": {"hidden": [8, 6]}, "temperature_learning_rate": 0.01, "reward_scale": 2.0, **RATES},
    "dqn": {
        "network": {"kind": "cnn", "channels": [3, 4], "kernels": [4, 3], "strides": [2, 1], "hidden": [8]},
        **{"learning_rate": 0.01, "huber_delta": 0.5, "target_period": 2, "target_rate": 0.3},
    },
    "ppo": {
        **{"network": {"hidden": [8, 6], "init": "uniform"}, "rollout_steps": 2, "minibatches": 2, "epochs": 1},
        **{"learning_rate": 0.01, "entropy_coefficient": 0.1, "max_gradient_norm": 0.3},
    },
}
QUICK = {"xla_backend_optimization_level": 0}
"""For the compiler: what runs twice need not run fast."""


class Learned(NamedTuple):
    """What the engine did to a population, and all that it did it with."""

    spec: AlgorithmSpec
    before: Any
    after: Any
    data: Data
    draws: list[Any]
    """Random numbers of each update, [members, ...]."""


def random_data(name: str) -> Data:
    random = np.random.default_rng(0)
    lead = (MEMBERS, UPDATES, BATCH) if name != "ppo" else (MEMBERS, UPDATES, 2, BATCH)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal((*lead, *shape), np.float32)

    ended = random.integers(0, 2, lead).astype(np.float32)
    if name == "dqn":
        images = [random.integers(0, 256, (*lead, *IMAGE), np.uint8) for _ in range(2)]
        return Data(images[0], random.integers(0, BUTTONS, lead, np.int32), normal(), ended, images[1])
    return Data(normal(VECTOR), np.tanh(normal(ACTIONS)), normal(), ended, normal(VECTOR))


def learn(name: str) -> Learned:
    spec = TypeAdapter(AlgorithmSpec).validate_python({"name": name, **SPECS[name]})
    if name == "dqn":
        info = EnvironmentInfo(IMAGE, BUTTONS, None, is_discrete=True, observation_dtype="uint8")
    else:
        info = EnvironmentInfo((VECTOR,), ACTIONS, 1000, envs_per_member=BATCH if name == "ppo" else 1)
    algorithm = build_algorithm(spec, info)
    hyperparams = {key: np.full(MEMBERS, value, np.float32) for key, value in hyperparameters(spec).items()}
    population = jax.jit(jax.vmap(algorithm.init), compiler_options=QUICK)(
        member_keys(jax.random.key(7), MEMBERS), hyperparams
    )
    update = jax.jit(jax.vmap(algorithm.update), compiler_options=QUICK)
    data, state, draws = random_data(name), population, []
    for number in range(UPDATES):
        words = jax.random.key_data(member_keys(jax.random.key(number), MEMBERS))
        batch = Transition(*(field[:, number] for field in data))
        if name == "ppo":
            batch = Rollout(batch, np.zeros_like(batch.terminated))
        state, _ = update(state, hyperparams, batch, jax.random.wrap_key_data(words))
        draws.append([draw(name, word) for word in words])
    return Learned(spec, jax.device_get(population), jax.device_get(state), data, draws)


def draw(name: str, words: Any) -> Any:
    """What the update of one member draws from its key."""
    key = jax.random.wrap_key_data(words)
    match name:
        case "td3":
            return np.asarray(jax.random.normal(key, (BATCH, ACTIONS)))
        case "sac":
            return [np.asarray(jax.random.normal(part, (BATCH, ACTIONS))) for part in jax.random.split(key)]
        case "ppo":
            return np.asarray(shuffled(derive(key, "shuffle"), 2 * BATCH, 1, 2)).ravel().astype(np.int64)
        case _:
            return None


def parts(twin: Any, state: Any, name: str, slot: int | None) -> list[tuple[list[Any], weights.Arrays]]:
    """Every network of a twin beside the engine's weights for it."""
    match name:
        case "ppo":
            return [(list(twin.network.parameters()), weights.policy_and_value(state.params, slot))]
        case "dqn":
            return [
                (list(twin.critic.parameters()), weights.convolutional(state.critic, slot)),
                (list(twin.target_critic.network.parameters()), weights.convolutional(state.target_critic, slot)),
            ]
        case "sac":
            temperature = np.asarray(state.log_temperature)
            heads, others = (
                ("output_mean", "output_log_std"),
                [([twin.log_temperature], [temperature if slot is None else temperature[slot]])],
            )
        case _:
            heads, others = (
                ("output",),
                [
                    (
                        list(twin.target_policy.network.parameters()),
                        weights.dense(state.target_policy, slot, "output"),
                    )
                ],
            )
    return [
        (list(twin.policy.parameters()), weights.dense(state.policy, slot, *heads)),
        (list(twin.critic.parameters()), weights.critics(state.critic, slot)),
        (list(twin.target_critic.network.parameters()), weights.critics(state.target_critic, slot)),
        *others,
    ]


def run_twin(learned: Learned, name: str, slot: int | None) -> None:
    """Gives a twin the weights from before, lets it learn, and compares with those from after."""
    members = MEMBERS if slot is None else None
    twin: Any = (
        DQNTwin(learned.spec, members, "cpu", False, IMAGE)  # pyright: ignore[reportArgumentType]
        if name == "dqn"
        else build_twin(learned.spec, members, "cpu", compiled=False)
    )
    with torch.no_grad():
        for ours, theirs in parts(twin, learned.before, name, slot):
            for weight, array in zip(ours, theirs, strict=True):
                weight.copy_(torch.from_numpy(np.array(array)))
    own = learned.data if slot is None else Data(*(field[slot : slot + 1] for field in learned.data))
    batches = (
        [twin.arrange(Data(*(field[:, number] for field in own))) for number in range(UPDATES)]
        if name == "ppo"
        else twin.arrange(own)
    )
    for batch, draws in zip(batches, learned.draws, strict=True):
        chosen = draws if slot is None else draws[slot]
        match name:
            case "td3" | "ppo":
                twin.update(batch, torch.from_numpy(np.array(chosen)))
            case "sac":
                pairs = zip(*chosen, strict=True) if slot is None else chosen
                twin.update(batch, [torch.from_numpy(np.array(pair)) for pair in pairs])
            case "ddpg":
                twin.update(batch, None)
            case _:
                twin.update(batch)
    for ours, theirs in parts(twin, learned.after, name, slot):
        for weight, array in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(weight.detach().numpy(), array, rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module", params=list(SPECS))
def learned(request) -> tuple[str, Learned]:
    return request.param, learn(request.param)


def test_one_module_a_member_learns_what_the_engine_learns(learned: tuple[str, Learned]):
    name, found = learned
    for slot in range(MEMBERS):
        run_twin(found, name, slot)


def test_members_vectorized_by_hand_learn_what_the_engine_learns(learned: tuple[str, Learned]):
    name, found = learned
    run_twin(found, name, None)


def test_updates_changed_the_weights_by_more_than_the_tolerance(learned: tuple[str, Learned]):
    """Without which agreement would mean nothing."""
    _, found = learned
    moves = jax.tree.map(lambda old, new: np.max(np.abs(old - new)), found.before, found.after)
    assert max(jax.tree.leaves(moves)) > 1e-2
