import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import describe, make_environments, make_renderer
from phylon.worker.environments.probe import PROBES

COUNT = 32


def start(id, seeds=None):
    environments = make_environments(EnvironmentSpec(suite="probe", id=id), COUNT)
    return environments, environments.reset(np.arange(COUNT) if seeds is None else seeds)


def step(environments, action=0.0):
    if environments.info.is_discrete:
        return environments.step(np.full(COUNT, action, np.int32))
    return environments.step(np.full((COUNT, *environments.info.action_shape), action, environments.info.action_dtype))


@pytest.mark.parametrize("id", PROBES)
def test_shapes_and_types(id):
    environments, obs = start(id)
    assert environments.info == describe("probe", id)
    result = step(environments)
    for array in (obs, result.obs, result.next_obs):
        assert array.shape == (COUNT, *environments.info.observation_shape)
        assert array.dtype == environments.info.observation_dtype
    assert result.reward.shape == result.terminated.shape == result.truncated.shape == (COUNT,)
    assert result.reward.dtype == np.float32
    assert result.terminated.dtype == result.truncated.dtype == np.bool_


@pytest.mark.parametrize("id", PROBES)
def test_episodes_last_as_long_as_they_say(id):
    environments, _ = start(id)
    for _ in range(environments.info.max_episode_steps - 1):
        result = step(environments)
        assert not (result.terminated | result.truncated).any()
    result = step(environments)
    assert (result.terminated | result.truncated).all()


def test_constant_reward():
    environments, obs = start("ConstantReward-v0")
    assert not obs.any()
    assert (step(environments).reward == 1).all()


def test_reward_by_observation():
    environments, obs = start("ObservationReward-v0")
    assert set(obs.ravel()) == {-1, 1}
    result = step(environments)
    np.testing.assert_array_equal(result.reward, obs[:, 0])
    assert result.terminated.all()


def test_delayed_reward():
    environments, obs = start("DelayedReward-v0")
    first, second = step(environments), step(environments)
    assert not obs.any()
    assert not first.reward.any()
    assert (first.next_obs == 1).all()
    assert (second.reward == 1).all()
    assert second.terminated.all()
    assert not second.obs.any()  # the next episode


def test_reward_by_action():
    environments, obs = start("ActionReward-v0")
    result = step(environments, 0.5)
    np.testing.assert_allclose(result.reward, np.where(obs[:, 0] > 0, 1.0, 0.0))  # 1 - (0.5 - ±0.5)²


def test_discrete_actions_stand_for_continuous_ones():
    environments, obs = start("ActionRewardDiscrete-v0")
    assert (environments.info.is_discrete, environments.info.action_size) == (True, 2)
    np.testing.assert_array_equal(step(environments, 1).reward, np.where(obs[:, 0] > 0, 1.0, 0.0))
    environments, obs = start("ActionRewardDiscrete-v0")
    np.testing.assert_array_equal(step(environments, 0).reward, np.where(obs[:, 0] > 0, 0.0, 1.0))


def test_pictures_show_the_observation():
    environments, obs = start("ActionRewardImage-v0")
    assert (environments.info.observation_shape, environments.info.observation_dtype) == ((8, 8, 3), "uint8")
    assert {picture.tobytes() for picture in obs} == {bytes(192), b"\xff" * 192}
    result = step(environments, 1)
    np.testing.assert_array_equal(result.reward, np.where(obs[:, 0, 0, 0] > 0, 1.0, 0.0))
    np.testing.assert_array_equal(result.next_obs, obs)
    assert (start("DelayedRewardImage-v0")[1] == 128).all()


@pytest.mark.parametrize("id", ["Truncation-v0", "TruncationDiscrete-v0"])
def test_truncation_and_termination_are_told_apart(id):
    environments, obs = start(id)
    result = step(environments)
    np.testing.assert_array_equal(result.terminated, obs[:, 0] == 1)
    np.testing.assert_array_equal(result.truncated, obs[:, 0] == -1)
    np.testing.assert_array_equal(result.next_obs, obs)
    assert (result.reward == 1).all()


def test_seeds_decide_and_randomness_goes_on():
    episodes = []
    for _ in range(2):
        environments, obs = start("ObservationReward-v0")
        episodes.append([obs, *(step(environments).obs for _ in range(5))])
    np.testing.assert_array_equal(*episodes)
    assert any(not np.array_equal(episodes[0][0], later) for later in episodes[0][1:])
    assert not np.array_equal(episodes[0][0], start("ObservationReward-v0", np.arange(COUNT) + 99)[1])


def test_an_unknown_probe_is_named():
    with pytest.raises(EnvironmentUnavailable, match="no probe environment 'Nothing-v0'; use one of ConstantReward-v0"):
        describe("probe", "Nothing-v0")


def test_there_is_nothing_to_see():
    assert make_renderer(EnvironmentSpec(suite="probe", id="Truncation-v0")) is None


def test_two_choices_have_one_best_pair():
    """First -1/2 or +1/2, second -1/2, 0 or +1/2: only (0, 1) makes -1/2 and only (1, 1) makes +1/2 with reward 1."""
    environments, obs = start("ActionRewardMultiDiscrete-v0")
    best = np.stack([(obs[:, 0] > 0).astype(np.int32), np.ones(COUNT, np.int32)], axis=1)
    assert (environments.step(best).reward == 1).all()
    environments, obs = start("ActionRewardMultiDiscrete-v0")
    assert (environments.step(best + np.array([0, 1], np.int32)).reward < 1).all()


def test_a_composite_observation_shows_sign_and_size_apart():
    _, obs = start("ActionRewardDict-v0")
    _, plain = start("ActionReward-v0")
    rows = {-1: [1, 0, 0, 1], 1: [0, 0, 1, 1]}
    assert obs.tolist() == [rows[int(number)] for number in plain[:, 0]]
