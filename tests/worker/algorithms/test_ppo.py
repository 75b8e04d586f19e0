"""PPO against numbers worked out apart from it, in NumPy, for both kinds of actions."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, hyperparameters
from phylon.spec.algorithms.ppo import PPOSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.ppo import Experience, judged, minibatch_loss, no_penalty, ppo_network, shuffled
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.execution.compilation import fast_compile_options

STEPS, ENVS = 6, 4
DISCRETE = EnvironmentInfo((2,), 3, None, is_discrete=True, envs_per_member=ENVS)
CONTINUOUS = EnvironmentInfo((2,), 3, None, envs_per_member=ENVS)
COMPILED = {"compiler_options": fast_compile_options()}
NETWORK = MLPSpec(hidden=(8,), activation="relu", init="uniform")


def make_spec(**structure):
    plain = {"value_clip": False, "advantage_normalisation": "none", "reward_normalisation": False}
    small = {"rollout_steps": STEPS, "epochs": 2, "minibatches": 3, "network": NETWORK}
    return PPOSpec(name="ppo", **(plain | small | structure))


ONE_STEP = make_spec(epochs=1, minibatches=1)
FULL = make_spec(value_clip=True, advantage_normalisation="minibatch", reward_normalisation=True)


class Programs(NamedTuple):
    init: Any
    update: Any
    traces: list[str]


@functools.cache
def programs_of(spec, info):
    """Compiled once for all tests."""
    algorithm, traces = build_algorithm(spec, info), []

    def update(*arguments):
        traces.append("update")
        return algorithm.update(*arguments)

    return Programs(jax.jit(algorithm.init, **COMPILED), jax.jit(update, **COMPILED), traces)


def make_rollout(info, seed=0):
    """Of all ways in which an episode can end, some."""
    random = np.random.default_rng(seed)

    def normal(*shape):
        return jnp.asarray(random.normal(size=(STEPS, ENVS, *shape)), jnp.float32)

    terminated, truncated = np.zeros((2, STEPS, ENVS), np.float32)
    terminated[[1, 5, 3], [0, 1, 2]] = 1
    truncated[[2, 4, 5], [3, 0, 2]] = 1
    actions = random.integers(0, info.action_size, (STEPS, ENVS)) if info.is_discrete else 2 * normal(info.action_size)
    action = jnp.asarray(actions, info.action_dtype)
    transitions = Transition(normal(2), action, 3 * normal(), jnp.asarray(terminated), normal(2))
    return Rollout(transitions, jnp.asarray(truncated))


@pytest.fixture(scope="module", params=["discrete", "continuous"])
def info(request):
    return DISCRETE if request.param == "discrete" else CONTINUOUS


@pytest.fixture(scope="module")
def network(info):
    return ppo_network(make_spec(), info)


@pytest.fixture(scope="module")
def params(network, info):
    """Wild enough for policies to differ between observations."""
    weights = jax.tree.map(lambda leaf: 2 * leaf, jax.jit(network.init, **COMPILED)(jax.random.key(0)))
    return weights if info.is_discrete else weights | {"output_log_std": jnp.array([-0.5, 0.0, 0.3])}


@pytest.fixture(scope="module")
def said(forward, info):
    """(params, obs, action) -> log-probabilities, values and entropies, in NumPy."""

    def run(params, obs, action):
        policy = forward(params["policy"]["layers"], obs, "output_policy")
        value = forward(params["value"]["layers"], obs, "output_value")[:, 0]
        if info.is_discrete:
            probabilities = np.exp(policy) / np.exp(policy).sum(axis=1, keepdims=True)
            log_prob = np.log(probabilities[np.arange(len(action)), np.asarray(action)])
            return log_prob, value, -(probabilities * np.log(probabilities)).sum(axis=1)
        std = np.exp(np.asarray(params["output_log_std"]))
        density = np.exp(-0.5 * ((np.asarray(action) - policy) / std) ** 2) / (std * np.sqrt(2 * np.pi))
        return np.log(density).sum(axis=1), value, np.full(len(action), np.log(std * np.sqrt(2 * np.pi * np.e)).sum())

    return run


def flat(field):
    return np.asarray(field).reshape(-1, *field.shape[2:])


class TestJudgement:
    def test_of_a_rollout(self, network, params, info, said, numbers_of):
        rollout, numbers = make_rollout(info), numbers_of(make_spec(), discount=0.9, gae_lambda=0.7)
        found = jax.jit(lambda *arguments: judged(network, *arguments, 3))(params, numbers, rollout)
        obs, action, reward, terminated, next_obs = map(flat, rollout.transitions)
        log_prob, value, _ = said(params, obs, action)
        _, next_value, _ = said(params, next_obs, action)
        ended = np.maximum(terminated, flat(rollout.truncated)).reshape(STEPS, ENVS)
        errors = (reward + 0.9 * (1 - terminated) * next_value - value).reshape(STEPS, ENVS)
        advantage, following = np.zeros((STEPS, ENVS)), np.zeros(ENVS)
        for step in reversed(range(STEPS)):
            following = errors[step] + 0.9 * 0.7 * (1 - ended[step]) * following
            advantage[step] = following
        np.testing.assert_array_equal(found.obs, obs)
        np.testing.assert_array_equal(found.action, action)
        np.testing.assert_allclose(found.log_prob, log_prob, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.value, value, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.advantage, advantage.reshape(-1), rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(found.target, advantage.reshape(-1) + value, rtol=1e-3, atol=1e-4)

    def test_what_an_episode_leads_to_counts_unless_it_terminated(self, network, params, info, numbers_of):
        """So it does where it was cut, and where the rollout ends; and then no other episode counts."""
        rollout, numbers = make_rollout(info), numbers_of(make_spec())
        judge = jax.jit(lambda rollout: judged(network, params, numbers, rollout, 3).advantage.reshape(STEPS, ENVS))

        def reached_from(step, env):
            """Steps whose advantage knows of where this one led to."""
            transitions = rollout.transitions
            changed = transitions._replace(next_obs=transitions.next_obs.at[step, env].add(1.0))
            differs = judge(rollout) != judge(rollout._replace(transitions=changed))
            return {(int(row), int(column)) for row, column in np.argwhere(differs)}

        assert reached_from(1, 0) == set()  # terminated
        assert reached_from(4, 0) == {(2, 0), (3, 0), (4, 0)}  # cut; the episode began after the termination
        assert reached_from(5, 3) == {(3, 3), (4, 3), (5, 3)}  # the rollout ends; the episode began after a cut
        assert reached_from(5, 1) == set()  # terminated at the very end
        assert reached_from(5, 2) == {(4, 2), (5, 2)}  # cut at the very end

    def test_it_is_of_the_weights_that_acted(self, info, numbers_of):
        """So in the first gradient step nothing has moved yet."""
        programs, numbers = programs_of(ONE_STEP, info), numbers_of(ONE_STEP)
        state = programs.init(jax.random.key(0), numbers)
        _, metrics = programs.update(state, numbers, make_rollout(info), jax.random.key(1))
        assert float(metrics["kl"]) == pytest.approx(0, abs=1e-6)
        assert float(metrics["clipped_share"]) == 0


class TestLoss:
    @pytest.mark.parametrize("value_clip", [False, True])
    @pytest.mark.parametrize("normalisation", ["none", "minibatch", "rollout"])
    def test_by_hand(self, network, params, info, said, numbers_of, value_clip, normalisation):
        spec = make_spec(value_clip=value_clip, advantage_normalisation=normalisation)
        numbers = numbers_of(spec, clip=0.3, value_coefficient=0.7, entropy_coefficient=0.2)
        rollout, random = make_rollout(info), np.random.default_rng(3)
        obs, action = flat(rollout.transitions.obs), flat(rollout.transitions.action)
        log_prob, value, entropy = said(params, obs, action)
        old_log_prob, old_value = log_prob - random.normal(0, 0.4, len(obs)), value - random.normal(0, 0.5, len(obs))
        advantage, target = random.normal(1, 2, (2, len(obs)))
        batch = Experience(obs, action, old_log_prob, old_value, advantage, target)
        batch = jax.tree.map(
            lambda field: jnp.asarray(field, field.dtype if field.dtype == "int32" else "float32"), batch
        )
        found, metrics = jax.jit(
            lambda params, batch, key: minibatch_loss(params, spec, network, no_penalty, numbers, batch, key),
            **COMPILED,
        )(params, batch, jax.random.key(0))

        if normalisation == "minibatch":
            advantage = (advantage - advantage.mean()) / advantage.std()
        ratio = np.exp(log_prob - old_log_prob)
        policy_loss = -np.minimum(ratio * advantage, np.clip(ratio, 0.7, 1.3) * advantage).mean()
        errors = (value - target) ** 2
        if value_clip:
            errors = np.maximum(errors, (old_value + np.clip(value - old_value, -0.3, 0.3) - target) ** 2)
        critic_loss = 0.5 * errors.mean()
        expected = policy_loss + 0.7 * critic_loss - 0.2 * entropy.mean()
        assert float(found) == pytest.approx(expected, rel=1e-3, abs=1e-4)
        by_hand = {
            "policy_loss": policy_loss,
            "critic_loss": critic_loss,
            "value": value.mean(),
            "entropy": entropy.mean(),
            "kl": (ratio - 1 - np.log(ratio)).mean(),
            "clipped_share": (np.abs(ratio - 1) > 0.3).mean(),
        }
        assert {name: float(number) for name, number in metrics.items()} == pytest.approx(by_hand, rel=1e-3, abs=1e-4)


class TestUpdate:
    def test_an_epoch_has_every_row_once_in_an_order_of_its_own(self):
        rows = np.asarray(shuffled(jax.random.key(0), 24, epochs=3, minibatches=4)).reshape(3, 24)
        for epoch in rows:
            assert sorted(epoch) == list(range(24))
        assert len({tuple(epoch) for epoch in rows}) == 3

    def test_one_step_is_adam_on_the_limited_gradient(self, info, numbers_of):
        """Adam's first direction is g / (|g| + 1e-5): with a limit as small as this, the limit itself shows."""
        programs, network = programs_of(ONE_STEP, info), ppo_network(ONE_STEP, info)
        numbers, rollout = numbers_of(ONE_STEP, max_gradient_norm=1e-4, learning_rate=0.1), make_rollout(info)
        state = programs.init(jax.random.key(0), numbers)
        after, metrics = programs.update(state, numbers, rollout, jax.random.key(1))

        def loss(params):
            batch = judged(network, state.params, numbers, rollout, 1)
            return minibatch_loss(params, ONE_STEP, network, no_penalty, numbers, batch, jax.random.key(0))[0]

        gradients = jax.jit(jax.grad(loss), **COMPILED)(state.params)
        norm = np.sqrt(sum(np.square(leaf).sum() for leaf in jax.tree.leaves(gradients)))
        assert float(metrics["gradient_norm"]) == pytest.approx(norm, rel=1e-4)
        for before, now, gradient in zip(*map(jax.tree.leaves, (state.params, after.params, gradients)), strict=True):
            limited = np.asarray(gradient) * 1e-4 / norm
            np.testing.assert_allclose(now, before - 0.1 * limited / (np.abs(limited) + 1e-5), rtol=1e-3, atol=1e-4)

    def test_every_hyperparameter_is_alive_and_none_recompiles(self, info, numbers_of, equal):
        """With everything switched on."""
        programs = programs_of(FULL, info)

        def three_updates(**changed):
            numbers = numbers_of(FULL, learning_rate=0.02, clip=0.05, entropy_coefficient=0.01) | {
                name: jnp.float32(value) for name, value in changed.items()
            }
            state = programs.init(jax.random.key(0), numbers)
            for step in range(3):
                state, _ = programs.update(state, numbers, make_rollout(info, step), jax.random.key(step))
            return state

        usual = three_updates()
        changes = {name: 0.7 * value for name, value in hyperparameters(FULL).items()} | {"entropy_coefficient": 0.1}
        for name, value in changes.items():
            assert not equal(usual, three_updates(**{name: value})), f"{name} is never read"
        assert equal(usual, three_updates()), "the same numbers gave another state"
        assert programs.traces == ["update"]

    def test_members_side_by_side_are_what_they_are_alone(self, numbers_of):
        algorithm, programs = build_algorithm(FULL, DISCRETE), programs_of(FULL, DISCRETE)
        numbers = [numbers_of(FULL, learning_rate=rate) for rate in (1e-3, 1e-2)]
        rollouts = [make_rollout(DISCRETE, seed) for seed in range(2)]
        states = [programs.init(jax.random.key(seed), own) for seed, own in enumerate(numbers)]
        keys = jax.random.split(jax.random.key(0))
        alone = [programs.update(*member)[0] for member in zip(states, numbers, rollouts, keys, strict=True)]
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *zip(states, numbers, rollouts, strict=True))
        together, _ = jax.jit(jax.vmap(algorithm.update), **COMPILED)(*stacked, jax.random.split(jax.random.key(0)))
        for number, state in enumerate(alone):
            for one, both in zip(jax.tree.leaves(state), jax.tree.leaves(together), strict=True):
                np.testing.assert_allclose(both[number], one, rtol=1e-3, atol=1e-4)

    @pytest.mark.parametrize("torsos", ["shared", "separate"])
    def test_every_weight_learns(self, info, numbers_of, torsos):
        programs, numbers = programs_of(ONE_STEP.model_copy(update={"torsos": torsos}), info), numbers_of(ONE_STEP)
        state = programs.init(jax.random.key(0), numbers)
        after, metrics = programs.update(state, numbers, make_rollout(info), jax.random.key(1))
        for before, now in zip(jax.tree.leaves(state.params), jax.tree.leaves(after.params), strict=True):
            assert not np.array_equal(before, now)
        names = {"policy_loss", "critic_loss", "value", "entropy", "kl", "clipped_share", "gradient_norm"}
        assert set(metrics) == names
        assert all(np.isfinite(value) and value.shape == () for value in metrics.values())

    def test_the_scale_of_rewards_does_not_matter_where_they_are_normalised(self, numbers_of):
        programs, numbers, rollout = programs_of(FULL, DISCRETE), numbers_of(FULL), make_rollout(DISCRETE)
        state = programs.init(jax.random.key(0), numbers)
        transitions = rollout.transitions
        larger = rollout._replace(transitions=transitions._replace(reward=1000 * transitions.reward))
        (one, _), (other, _) = (
            programs.update(state, numbers, given, jax.random.key(1)) for given in (rollout, larger)
        )
        for left, right in zip(jax.tree.leaves(one.params), jax.tree.leaves(other.params), strict=True):
            np.testing.assert_allclose(left, right, atol=1e-4)
        assert float(other.reward_scale.moments.variance) == pytest.approx(
            1e6 * float(one.reward_scale.moments.variance), rel=1e-2
        )

    def test_an_episode_that_goes_on_takes_its_return_along(self, numbers_of):
        """Truncation ends an episode as far as the scale is concerned: the next reward belongs to another one."""
        programs, numbers, rollout = programs_of(FULL, DISCRETE), numbers_of(FULL), make_rollout(DISCRETE)
        state = programs.init(jax.random.key(0), numbers)
        after, _ = programs.update(state, numbers, rollout, jax.random.key(1))
        is_over = np.maximum(rollout.transitions.terminated, rollout.truncated)[-1] == 1
        assert np.all((np.asarray(after.reward_scale.returns) == 0) == is_over)
        assert is_over.tolist() == [False, True, True, False]

    @pytest.mark.parametrize(
        ("structure", "envs", "words"),
        [
            ({"rollout_steps": STEPS + 1}, ENVS, "built for 7 steps in 4"),
            ({}, ENVS + 1, "built for 6 steps in 5"),
            ({"minibatches": 5}, ENVS, "24 steps cannot be shared out among 5 minibatches"),
        ],
    )
    def test_a_rollout_that_does_not_fit_is_refused(self, structure, envs, words, numbers_of):
        spec = make_spec(**structure)
        algorithm, numbers = build_algorithm(spec, DISCRETE._replace(envs_per_member=envs)), numbers_of(spec)
        state = jax.eval_shape(algorithm.init, jax.random.key(0), numbers)
        with pytest.raises(EngineError, match=words):
            jax.eval_shape(algorithm.update, state, numbers, make_rollout(DISCRETE), jax.random.key(0))


class TestAct:
    def test_a_continuous_sample_is_not_clipped_so_that_its_density_can_be_told(self, numbers_of):
        """What is stored is what was drawn. Were it clipped, the density would be that of another action."""
        algorithm, network = build_algorithm(ONE_STEP, CONTINUOUS), ppo_network(ONE_STEP, CONTINUOUS)
        state = programs_of(ONE_STEP, CONTINUOUS).init(jax.random.key(0), numbers_of(ONE_STEP))
        obs = jnp.zeros((5000, 2))
        action = algorithm.act(state, {}, obs, jax.random.key(1), explore=True)
        assert action.shape == (5000, 3) and action.dtype == jnp.float32
        policy = network.apply(state.params, obs).policy
        standardised = (np.asarray(action) - np.asarray(policy.mean)) / np.exp(np.asarray(policy.log_std))
        assert standardised.std() == pytest.approx(1, rel=0.03)  # a clip to [-1, 1] would leave 0.72
        assert np.mean(np.abs(action) > 1) == pytest.approx(0.32, abs=0.04)
        assert float(jnp.mean(policy.log_prob(action))) == pytest.approx(-float(jnp.mean(policy.entropy())), abs=0.05)

    def test_without_exploration_the_mean_is_clipped(self, numbers_of, forward):
        algorithm = build_algorithm(ONE_STEP, CONTINUOUS)
        state = programs_of(ONE_STEP, CONTINUOUS).init(jax.random.key(0), numbers_of(ONE_STEP))
        obs = 50 * jax.random.normal(jax.random.key(1), (64, 2))
        mean = forward(state.params["policy"]["layers"], obs, "output_policy")
        action = algorithm.act(state, {}, obs, jax.random.key(2), explore=False)
        np.testing.assert_allclose(action, np.clip(mean, -1, 1), rtol=1e-4, atol=1e-4)
        assert np.abs(mean).max() > 1

    def test_discrete(self, numbers_of, forward):
        algorithm = build_algorithm(ONE_STEP, DISCRETE)
        state = programs_of(ONE_STEP, DISCRETE).init(jax.random.key(0), numbers_of(ONE_STEP))
        obs = jnp.tile(jnp.array([[1.0, -2.0]]), (20_000, 1))
        logits = forward(state.params["policy"]["layers"], obs[:1], "output_policy")[0]
        best, drawn = (algorithm.act(state, {}, obs, jax.random.key(2), explore) for explore in (False, True))
        assert best.dtype == drawn.dtype == jnp.int32
        assert np.all(np.asarray(best) == np.argmax(logits))
        shares = np.bincount(drawn, minlength=3) / len(obs)
        np.testing.assert_allclose(shares, np.exp(logits) / np.exp(logits).sum(), atol=0.015)


def test_it_learns_from_rollouts():
    assert build_algorithm(ONE_STEP, DISCRETE).learns_from == "rollout"
