"""Wrappers do what they say, alike in every form that they have, and are refused where they have none."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.registry import suites, wrappers
from phylon.spec import SpecInvalid, parse_spec
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import describe_environment, make_environments
from phylon.worker.environments.host import StepResult
from phylon.worker.environments.jax_environment import JaxEnvironment, JaxPool, JaxStep
from phylon.worker.environments.wrappers import functional
from phylon.worker.environments.wrappers.flatten import flatten
from phylon.worker.environments.wrappers.frames import FramePool
from phylon.worker.environments.wrappers.images import area_weights, grey_and_resize
from phylon.worker.environments.wrappers.rewards import clip_reward, scale_reward
from phylon.worker.environments.wrappers.single import ActionRepeat
from phylon.worker.environments.wrappers.sticky import StickyPool

EPISODE = 3
INFO = EnvironmentInfo((1,), 9, EPISODE, is_discrete=True)


class Counting:
    """Shows how many steps its episode had, pays the action that it was given, and terminates after three."""

    info, count = INFO, 2

    def reset(self, seeds):
        self._steps = np.zeros(2, np.float32)
        return self._steps[:, None].copy()

    def step(self, actions):
        self._steps += 1
        next_obs, ended = self._steps[:, None].copy(), self._steps == EPISODE
        self._steps[ended] = 0
        return StepResult(self._steps[:, None].copy(), actions.astype(np.float32), ended, np.zeros(2, bool), next_obs)

    def close(self):
        pass


def _reset(key):
    return jnp.zeros(()), jnp.zeros(1)


def _step(state, action, key):
    ended = state + 1 == EPISODE
    return JaxStep(state + 1, (state + 1)[None], action.astype(jnp.float32), ended, jnp.zeros((), bool))


COUNTING = JaxEnvironment(INFO, _reset, _step)


def spec_of(name, **settings):
    return wrappers()[name].spec.model_validate({"name": name, **settings})


def pools(name, info=INFO, **settings):
    """The wrapped environment as a pool of the host and as one of functions."""
    spec = spec_of(name, **settings)
    host = {"scale_reward": scale_reward, "clip_reward": clip_reward}.get(name)
    made = [host(spec, Counting(), info)] if host else []
    return [*made, JaxPool(getattr(functional, name)(spec, COUNTING, info), 2)]


def rewards(pool, actions):
    pool.reset(np.array([0, 1]))
    return [pool.step(np.array([action, action], np.int32)).reward.tolist()[0] for action in actions]


@pytest.mark.parametrize("form", [0, 1])
def test_rewards_are_scaled_and_clipped(form):
    assert rewards(pools("scale_reward", factor=0.5)[form], [1, 4]) == [0.5, 2.0]
    assert rewards(pools("clip_reward", low=1, high=3)[form], [0, 2, 7]) == [1.0, 2.0, 3.0]


def test_members_learn_from_changed_rewards_and_evaluations_measure_the_true_ones():
    environment = EnvironmentSpec(
        suite="probe", id="ConstantReward-v0", wrappers=({"name": "scale_reward", "factor": 3.0},)
    )
    for purpose, expected in (("train", 3.0), ("evaluate", 1.0)):
        pool = make_environments(environment, 2, purpose)
        pool.reset(np.array([0, 1]))
        assert pool.step(np.zeros((2, 1), np.float32)).reward.tolist() == [expected] * 2


def shown(pool):
    """Observations to act on, and those that steps led to, over the end of an episode."""
    obs = [pool.reset(np.array([0, 1]))[0].tolist()]
    results = [pool.step(np.zeros(2, np.int32)) for _ in range(4)]
    return [*obs, *(result.obs[0].tolist() for result in results)], [result.next_obs[0].tolist() for result in results]


def test_frames_are_stacked_newest_last_and_begin_again_with_an_episode():
    info = INFO._replace(observation_shape=(3,))
    for pool in (FramePool(Counting(), info, 3), *pools("frame_stack", info, frames=3)):
        obs, next_obs = shown(pool)
        assert obs == [[0, 0, 0], [0, 0, 1], [0, 1, 2], [0, 0, 0], [0, 0, 1]]
        assert next_obs == [[0, 0, 1], [0, 1, 2], [1, 2, 3], [0, 0, 1]]


class Walking(gymnasium.Env):
    """Pays 1, 2, 3 … and terminates after five steps."""

    observation_space = gymnasium.spaces.Box(0, 100, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.full(1, self.steps, np.float32), float(self.steps), self.steps == 5, False, {}


def test_an_action_is_repeated_until_the_episode_ends():
    environment = ActionRepeat(Walking(), 3)
    environment.reset()
    assert environment.step(0)[1:3] == (1.0 + 2.0 + 3.0, False)
    obs, reward, terminated, _, _ = environment.step(0)
    assert (obs.tolist(), reward, terminated) == ([5.0], 4.0 + 5.0, True)


def test_a_repeated_action_of_functions_stops_at_the_end_as_well():
    (pool,) = pools("action_repeat", steps=2)
    pool.reset(np.array([0, 1]))
    first, second = (pool.step(np.array([2, 2], np.int32)) for _ in range(2))
    assert (first.reward[0], first.terminated[0], first.next_obs[0, 0]) == (4.0, False, 2.0)
    assert (second.reward[0], second.terminated[0], second.next_obs[0, 0]) == (2.0, True, 3.0)


def test_a_time_limit_truncates_in_both_forms():
    (pool,) = pools("time_limit", steps=2)
    wrapper = {"name": "time_limit", "steps": 2}
    inline = EnvironmentSpec(suite="gymnasium", id="CartPole-v1", wrappers=(wrapper,), stepping="inline")
    for each in (pool, make_environments(inline, 2)):
        each.reset(np.array([0, 1]))
        ends = [each.step(np.zeros(2, np.int32)) for _ in range(4)]
        assert [end.truncated.tolist() for end in ends] == [[False] * 2, [True] * 2] * 2
        assert not any(end.terminated.any() for end in ends)
        each.close()
    assert describe_environment(inline).max_episode_steps == 2


def test_actions_stick_as_often_as_asked_and_never_across_episodes():
    steps = 3000
    for pool in (StickyPool(Counting(), INFO, 0.25), *pools("sticky_actions", probability=0.25)):
        paid = np.array(rewards(pool, [number % 9 for number in range(steps)]))
        kept = paid != np.arange(steps) % 9
        assert not kept[::EPISODE].any(), "the first action of an episode has none before it"
        assert kept.mean() == pytest.approx(0.25 * (EPISODE - 1) / EPISODE, abs=0.03)
        assert paid.tolist() == rewards(pool, [number % 9 for number in range(steps)]), "by the seeds alone"


class Film:
    info, count = EnvironmentInfo((2, 4, 3), 2, None, True, "uint8"), 1

    def reset(self, seeds):
        image = np.zeros((1, 2, 4, 3), np.uint8)
        image[0, :, :2] = (100, 0, 0)
        image[0, :, 2:] = (0, 200, 100)
        image[0, 0, 0] = (0, 0, 0)
        return image

    def step(self, actions):
        raise NotImplementedError

    def close(self):
        pass


def test_images_become_grey_and_small():
    """0.299 * 100 = 29.9 and 0.587 * 200 + 0.114 * 100 = 128.8; one of the left four pixels is black."""
    pool = grey_and_resize(spec_of("grey_and_resize", size=8).model_copy(update={"size": 1}), Film(), INFO)
    assert pool.reset(np.zeros(1, int)).tolist() == [[[[round((3 * 29.9 + 4 * 128.8) / 8)]]]]
    np.testing.assert_allclose(area_weights(3, 2), [[2 / 3, 1 / 3, 0], [0, 1 / 3, 2 / 3]], rtol=1e-6)
    np.testing.assert_allclose(area_weights(2, 4), [[1, 0], [1, 0], [0, 1], [0, 1]])


def test_flat_images_are_shares_of_255():
    obs = flatten(spec_of("flatten"), Film(), INFO).reset(np.zeros(1, int))
    assert (obs.shape, obs.dtype) == ((1, 24), np.float32)
    assert obs[0, 3] == pytest.approx(100 / 255)
    image = JaxEnvironment(INFO._replace(observation_shape=(1, 2)), lambda key: (0, jnp.ones((1, 2))), _step)
    assert functional.flatten(spec_of("flatten"), image, INFO).reset(jax.random.key(0))[1].shape == (2,)


def problems_with(environment, algorithm="ppo"):
    with pytest.raises(SpecInvalid) as refused:
        parse_spec({"environment": environment, "algorithm": algorithm, "budget": 1000})
    found: dict[str, str] = {}
    for problem in refused.value.problems:
        text = f"{problem['message']}; {problem['remedy']}"
        found[problem["path"]] = f"{found.get(problem['path'], '')} {text}"
    return found


def test_what_a_suite_cannot_do_is_refused_with_what_it_can():
    found = problems_with({"suite": "gymnax", "id": "CartPole-v1", "wrappers": [{"name": "grey_and_resize"}]})
    assert "cannot be put around environments of suite 'gymnax'" in found["environment.wrappers.0"]
    assert "time_limit" in found["environment.wrappers.0"]
    found = problems_with({"suite": "envpool", "id": "Ant-v5", "wrappers": [{"name": "action_repeat", "steps": 2}]})
    assert "gymnasium, gymnax, mjx, playground" in found["environment.wrappers.0"]


def test_order_and_observations_have_to_fit():
    wrapped = [{"name": "frame_stack"}, {"name": "action_repeat", "steps": 2}]
    assert "put it first" in problems_with({"id": "CartPole-v1", "wrappers": wrapped})["environment.wrappers.1"]
    grey = problems_with({"id": "CartPole-v1", "wrappers": [{"name": "grey_and_resize"}]})
    assert "only grey or coloured images" in grey["environment.wrappers.0"]
    unknown = problems_with({"id": "CartPole-v1", "wrappers": [{"name": "shrink"}]})
    assert any("unknown wrappers 'shrink'" in text for text in unknown.values())


def test_every_wrapper_has_an_engine_somewhere():
    for description in wrappers().values():
        assert any(description.form_in(suite) for suite in suites().values()), description.name
