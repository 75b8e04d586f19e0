"""One replay for all members: what goes in, and who draws how much."""

import numpy as np
import pytest

from phylon.spec import parse_spec
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.training.collect import merge_members
from phylon.worker.training.experience import make_experience

MEMBERS, CALLS, ENVS = 3, 4, 2
INFO = EnvironmentInfo(observation_shape=(3,), action_size=1, max_episode_steps=200, envs_per_member=ENVS)


@pytest.fixture
def rollout():
    """The reward says who got it, when and where: 100 * member + 10 * call + environment."""
    member, call, env = np.ogrid[:MEMBERS, :CALLS, :ENVS]
    reward = (100 * member + 10 * call + env).astype(np.float32)
    obs, action = np.repeat(reward[..., None], 3, axis=-1), reward[..., None]
    return Rollout(Transition(obs, action, reward, np.zeros_like(reward), obs + 0.5), np.zeros_like(reward))


@pytest.fixture
def experience(small_spec):
    small_spec["environment"]["envs_per_member"] = ENVS
    small_spec["population"]["size"] = MEMBERS
    small_spec["population"]["method"] = {"name": "independent"}
    small_spec["algorithm"] = {"name": "td3", "batch_size": 50}
    small_spec["replay"] |= {"sharing": "shared", "ratio": 0.1}
    return lambda capacity, learners: make_experience(
        parse_spec(small_spec | {"replay": small_spec["replay"] | {"capacity": capacity}}), INFO, 0, learners
    )


def test_what_happened_at_the_same_time_lies_side_by_side(rollout):
    merged = merge_members(rollout).transitions
    assert merged.reward.shape == (1, CALLS, MEMBERS * ENVS)
    assert merged.obs.shape == (1, CALLS, MEMBERS * ENVS, 3)
    assert merged.reward[0, 1].tolist() == [10, 11, 110, 111, 210, 211]


def test_everyone_draws_from_everything(experience, rollout):
    shared = experience(1000, MEMBERS)
    shared.add(rollout)
    [drawn] = shared.draw(0)
    assert drawn.reward.shape == (MEMBERS, 2, 50)
    assert drawn.obs.shape == shared.example().obs.shape == (MEMBERS, 2, 50, 3)
    for batches in drawn.reward:
        assert {int(reward) // 100 for reward in batches.ravel()} == {0, 1, 2}
    assert not np.array_equal(drawn.reward[0], drawn.reward[1])
    np.testing.assert_array_equal(drawn.next_obs[..., 0], drawn.reward + 0.5)  # rows stay together


def test_the_oldest_of_all_make_room(experience, rollout):
    shared = experience(50, 1)
    for _ in range(3):
        shared.add(rollout)  # 24 transitions each
    arrays = shared.to_arrays()
    assert arrays["reward"].shape == (1, 50) and int(arrays["added"]) == 72
    assert next(shared.draw(0)).reward.shape == (1, 2, 50)


def test_stacked_frames_of_all_members_are_stored_once_and_drawn_whole(small_spec):
    """The draws are those of a ring that holds every stack."""
    stack, calls = 3, 6
    first = 100 * np.arange(MEMBERS * ENVS).reshape(MEMBERS, 1, ENVS, 1, 1, 1)
    times = np.arange(calls).reshape(1, calls, 1, 1, 1, 1) + np.arange(stack)  # a new frame a call
    obs = np.broadcast_to((first + times).astype(np.int32) % 251, (MEMBERS, calls, ENVS, 2, 2, stack)).astype(np.uint8)
    after = np.broadcast_to((first + times + 1) % 251, obs.shape).astype(np.uint8)
    numbers = np.arange(obs[..., 0, 0, 0].size, dtype=np.float32).reshape(obs.shape[:3])
    rollout = Rollout(Transition(obs, numbers[..., None], numbers, 0 * numbers, after), 0 * numbers)
    small_spec["environment"]["envs_per_member"] = ENVS
    small_spec["population"] = {"size": MEMBERS, "method": {"name": "independent"}}
    small_spec["algorithm"] = {"name": "td3", "batch_size": 50}
    small_spec["replay"] |= {"sharing": "shared", "ratio": 0.1}
    info = INFO._replace(observation_shape=(2, 2, stack), observation_dtype="uint8")
    draws = []
    for frame_stack in (1, stack):
        shared = make_experience(parse_spec(small_spec), info._replace(frame_stack=frame_stack), 0, MEMBERS)
        shared.add(rollout)
        draws.append(next(shared.draw(0)))
    for whole, stacked in zip(*draws, strict=True):
        np.testing.assert_array_equal(stacked, whole)
    assert len(shared.to_arrays()["frames"]) == MEMBERS * ENVS * (calls + stack)
