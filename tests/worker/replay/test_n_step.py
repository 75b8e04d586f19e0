"""n-step samples of a ring against a search through all that was ever added."""

from typing import NamedTuple

import numpy as np
import pytest

from phylon.worker.core.types import EnvironmentInfo, NStepTransition, Transition
from phylon.worker.replay import FrameReplay, Replay
from phylon.worker.replay.steps import Window

MEMBERS = 2
"""The second one's rewards are those of the first plus 1000."""


class Added(NamedTuple):
    """One transition of the first member."""

    reward: float
    terminated: bool
    ended: bool


def info_of(envs):
    return EnvironmentInfo(observation_shape=(1,), action_size=1, max_episode_steps=None, envs_per_member=envs)


def fill(replay, envs, calls, seed=0, cuts=()):
    """Adds calls with random ends, and restarts all environments after the calls of `cuts`; gives what was added."""
    random, history = np.random.default_rng(seed), list[Added]()
    for call in range(calls):
        number = np.arange(call * envs, (call + 1) * envs)
        terminated = random.random(envs) < 0.15
        ended = terminated | (random.random(envs) < 0.15)
        reward = np.stack([number, number + 1000]).astype(np.float32)
        both = [np.tile(field.astype(np.float32), (MEMBERS, 1)) for field in (terminated, ended)]
        replay.add(
            Transition(reward[..., None], reward[..., None], reward, both[0], reward[..., None] + 0.5), both[1] > 0
        )
        cut = call in cuts
        if cut:
            replay.cut()
        history += [Added(float(n), bool(t), bool(e) or cut) for n, t, e in zip(number, terminated, ended, strict=True)]
    return history


def require_right_samples(replay, history, envs, n):
    """Every stored transition of both members, drawn in reverse order of storage."""
    capacity, count = replay.capacity, len(history)
    slots = np.arange(min(count, capacity))[::-1]
    newest = count - 1
    found = replay.gather(np.stack([slots, slots + capacity]))
    assert isinstance(found, NStepTransition)
    for place, slot in enumerate(slots):
        number = newest - (newest - slot) % capacity
        numbers = [number]
        while len(numbers) < n and not history[numbers[-1]].ended and numbers[-1] + envs < count:
            numbers.append(numbers[-1] + envs)
        for member, plus in enumerate((0, 1000)):
            assert found.obs[member, place, 0] == number + plus
            assert found.steps[member, place] == len(numbers)
            rewards = [history[k].reward + plus for k in numbers]
            assert found.reward[member, place].tolist() == rewards + [0.0] * (n - len(rewards))
            assert found.next_obs[member, place, 0] == numbers[-1] + plus + 0.5
            assert found.terminated[member, place] == history[numbers[-1]].terminated


CASES = [
    # environments, capacity, calls, n
    (1, 50, 40, 3),  # not full
    (1, 20, 57, 3),
    (2, 20, 33, 4),
    (3, 20, 31, 2),  # the capacity is no multiple of the environments
    (3, 20, 31, 8),  # longer than the ring is for an environment
]


@pytest.mark.parametrize(("envs", "capacity", "calls", "n"), CASES)
def test_episodes_end_where_they_end(envs, capacity, calls, n):
    replay = Replay(MEMBERS, capacity, info_of(envs), n)
    history = fill(replay, envs, calls, cuts=(calls // 2, calls - 3))
    require_right_samples(replay, history, envs, n)


def test_by_hand():
    """One environment: steps 0, 1, 2 of an episode that terminates, 3 and 4 of one that goes on."""
    replay = Replay(1, 10, info_of(1), 3)
    number = np.arange(5, dtype=np.float32)[None]
    terminated = np.array([[0, 0, 1, 0, 0]], np.float32)
    replay.add(
        Transition(number[..., None], number[..., None], number, terminated, number[..., None] + 1), terminated > 0
    )
    found = replay.gather(np.arange(5)[None])
    assert isinstance(found, NStepTransition)
    assert found.reward[0].tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 0], [3, 4, 0], [4, 0, 0]]
    assert found.steps[0].tolist() == [3, 2, 1, 2, 1]
    assert found.terminated[0].tolist() == [1, 1, 1, 0, 0]
    assert found.next_obs[0, :, 0].tolist() == [3, 3, 3, 5, 5]


def ignore_cuts(monkeypatch):
    monkeypatch.setattr(Replay, "cut", lambda self: None)


def ignore_ends(monkeypatch):
    add = Replay.add
    monkeypatch.setattr(Replay, "add", lambda self, batch, ended: add(self, batch, np.zeros_like(ended)))


def ignore_the_write_head(monkeypatch):
    monkeypatch.setattr(Window, "ages", lambda self, indices: np.zeros_like(indices) - 10**6)
    monkeypatch.setattr(
        Window, "at_age", lambda self, i, ages: i - i % self.capacity + (i + ages + 10**6) % self.capacity
    )


@pytest.mark.parametrize("wrong", [ignore_cuts, ignore_ends, ignore_the_write_head])
def test_a_wrong_rule_is_found_out(monkeypatch, wrong):
    wrong(monkeypatch)
    replay = Replay(MEMBERS, 20, info_of(2), 3)
    history = fill(replay, 2, 33, cuts=(25, 30))
    with pytest.raises(AssertionError):
        require_right_samples(replay, history, 2, 3)


def test_a_stride_of_one_mixes_environments():
    replay = Replay(MEMBERS, 20, info_of(1), 3)  # told of one environment, given two
    history = fill(replay, 2, 33)
    with pytest.raises(AssertionError):
        require_right_samples(replay, history, 2, 3)


def test_copies_and_checkpoints_keep_the_ends():
    replay, other = (Replay(MEMBERS, 20, info_of(2), 3) for _ in range(2))
    history = fill(replay, 2, 33, cuts=(25,))
    other.from_arrays(replay.to_arrays())
    require_right_samples(other, history, 2, 3)
    slots = np.arange(20)
    replay.copy(np.array([1, 1], np.int32))
    child, parent = replay.gather(np.stack([slots, slots + 20])), other.gather(np.stack([slots, slots + 20]))
    for copied, own in zip(child, parent, strict=True):
        np.testing.assert_array_equal(copied[0], own[1])


def test_one_step_is_a_plain_transition():
    replay = Replay(MEMBERS, 20, info_of(2))
    fill(replay, 2, 5)
    replay.cut()
    assert isinstance(replay.sample(0, 0, 2, 4), Transition)
    assert "ended" not in replay.to_arrays()


def test_frames_are_stacked_from_the_last_step():
    """As a ring of whole stacks gives it, bit for bit."""
    side, stack, envs, n = 2, 2, 2, 3
    info = EnvironmentInfo(
        (side, side, stack),
        2,
        None,
        is_discrete=True,
        observation_dtype="uint8",
        frame_stack=stack,
        envs_per_member=envs,
    )
    frames, whole = FrameReplay(MEMBERS, 20, info, n), Replay(MEMBERS, 20, info, n)
    random = np.random.default_rng(0)
    obs = random.integers(0, 256, (MEMBERS, envs, side, side, stack), np.uint8)
    for call in range(31):
        next_obs = np.concatenate([obs[..., 1:], random.integers(0, 256, (*obs.shape[:-1], 1), np.uint8)], axis=-1)
        ended = random.random((MEMBERS, envs)) < 0.2
        reward = np.full((MEMBERS, envs), call, np.float32)
        batch = Transition(obs, np.zeros((MEMBERS, envs), np.int32), reward, ended.astype(np.float32), next_obs)
        for replay in (frames, whole):
            replay.add(batch, ended)
        fresh = random.integers(0, 256, obs.shape, np.uint8)
        obs = np.where(ended[..., None, None, None], fresh, next_obs)
        if call == 20:
            frames.cut()
            whole.cut()
    expected = whole.sample(0, 0, 3, 50)
    assert isinstance(expected, NStepTransition) and expected.steps.max() == n
    for a, b in zip(frames.sample(0, 0, 3, 50), expected, strict=True):
        np.testing.assert_array_equal(a, b)
