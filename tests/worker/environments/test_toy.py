"""The reward of a toy is how good the action is."""

import numpy as np
import pytest

from phylon.catalogue import find
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.environments import describe, make_environments, make_renderer
from phylon.worker.environments.toy import TOYS


def start(id, count):
    environments = make_environments(EnvironmentSpec(suite="toy", id=id), count)
    return environments, environments.reset(np.arange(count))


@pytest.mark.parametrize("id", TOYS)
def test_an_episode_is_one_step_and_says_nothing(id):
    environments, obs = start(id, 3)
    assert environments.info == describe("toy", id)
    result = environments.step(np.zeros((3, environments.info.action_size), np.float32))
    assert result.terminated.all() and not result.truncated.any()
    for array in (obs, result.obs, result.next_obs):
        assert array.shape == (3, 1) and array.dtype == np.float32 and not array.any()
    assert result.reward.dtype == np.float32
    environments.close()


@pytest.mark.parametrize(
    ("id", "actions", "rewards"),
    [
        ("Figure2-v0", [[0, 0], [0.9, 0.9], [0, 0.9], [-2, 0]], [1.2, -0.42, 0.39, 0.2]),
        ("TriangleWave-v0", [[-1], [0], [0.5], [1]], [0, 100, 150, 200]),
    ],
)
def test_reward(id, actions, rewards):
    environments, _ = start(id, len(actions))
    np.testing.assert_allclose(environments.step(np.array(actions, np.float32)).reward, rewards, atol=1e-6)


@pytest.mark.parametrize("id", TOYS)
def test_there_is_nothing_to_see(id):
    entry = find("toy", id)
    assert entry is not None and not entry.is_renderable
    assert make_renderer(EnvironmentSpec(suite="toy", id=id)) is None
