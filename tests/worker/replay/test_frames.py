"""A replay that stores frames once draws what a ring of whole stacks draws, and takes a fraction of its memory."""

import numpy as np
import pytest

from phylon.forecast.memory import replay_bytes
from phylon.presets import load_preset
from phylon.spec import parse_yaml
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.environments import describe, make_environments
from phylon.worker.replay import FrameReplay, Replay, make_replay
from phylon.worker.training.collect import Given, HostCollector, in_order_of_time
from phylon.worker.training.stopwatch import Stopwatch

SIDE, STACK, MEMBERS = 3, 4, 2


def info_of(envs, channels=1):
    shape = (SIDE, SIDE, STACK * channels)
    return EnvironmentInfo(shape, 3, None, True, "uint8", envs_per_member=envs, frame_stack=STACK)


class Film:
    """Environments of random pictures whose episodes end at random, each beginning with a stack of its own kind."""

    def __init__(self, envs, seed, channels=1, first="copies", still=0.2):
        self.random = np.random.default_rng(seed)
        self.envs, self.channels, self.first, self.still = envs, channels, first, still
        self.obs = [[self.start() for _ in range(envs)] for _ in range(MEMBERS)]

    def picture(self):
        return self.random.integers(0, 256, (SIDE, SIDE, self.channels), np.uint8)

    def start(self):
        newest = self.picture()
        match self.first:
            case "copies":
                return [newest] * STACK
            case "zeros":
                return [np.zeros_like(newest)] * (STACK - 1) + [newest]
            case "pictures":
                return [self.picture() for _ in range(STACK)]

    def cut(self):
        """As at a checkpoint."""
        self.obs = [[self.start() for _ in range(self.envs)] for _ in range(MEMBERS)]

    def calls(self, count, ends=0.15):
        """The next transitions, [P, calls * envs, ...]."""
        return in_order_of_time(Rollout(self._transitions(count, ends), np.zeros(0)))

    def _transitions(self, count, ends):
        shape = (MEMBERS, count, self.envs)
        obs, next_obs = (np.empty((*shape, *info_of(1, self.channels).observation_shape), np.uint8) for _ in range(2))
        terminated = np.zeros(shape, np.float32)
        for call in range(count):
            for member in range(MEMBERS):
                for env in range(self.envs):
                    stack = self.obs[member][env]
                    newest = stack[-1] if self.random.random() < self.still else self.picture()
                    following = [*stack[1:], newest]
                    if self.random.random() < 0.05:  # whatever an environment shows has to come back
                        following = [self.picture() for _ in range(STACK)]
                    obs[member, call, env], next_obs[member, call, env] = map(_joined, (stack, following))
                    is_end = self.random.random() < ends
                    terminated[member, call, env] = is_end and self.random.random() < 0.5  # else truncated
                    self.obs[member][env] = self.start() if is_end else following
        action = self.random.integers(0, 3, shape).astype(np.int32)
        return Transition(obs, action, self.random.random(shape, np.float32), terminated, next_obs)


def _joined(stack):
    return np.concatenate(stack, axis=-1)


def assert_same_draws(frames, ring, segment=0, updates=20):
    for name, found, expected in zip(
        Transition._fields, frames.sample(7, segment, updates, 16), ring.sample(7, segment, updates, 16), strict=True
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected, err_msg=name)


@pytest.mark.parametrize("first", ["copies", "zeros", "pictures"])
@pytest.mark.parametrize(("envs", "channels", "capacity"), [(1, 1, 50), (3, 1, 50), (3, 3, 50), (5, 1, 3)])
def test_draws_are_those_of_a_ring(first, envs, channels, capacity):
    """Also where episodes end in one step, where a call or a batch is larger than the replay, and after a restart."""
    film, info = Film(envs, 0, channels, first), info_of(envs, channels)
    frames, ring = FrameReplay(MEMBERS, capacity, info), Replay(MEMBERS, capacity, info)
    for number, (calls, ends) in enumerate([(1, 0.1), (4, 0.1), (7, 1.0), (2, 0.0), (30, 0.3), (80, 0.05), (3, 0.1)]):
        if number % 2:
            film.cut()
        batch = film.calls(calls, ends)
        for replay in (frames, ring):
            replay.add(batch)
        assert_same_draws(frames, ring, number)


@pytest.mark.parametrize("calls", [0, 1, 5, 40])
def test_a_restored_replay_goes_on_as_the_saved_one(calls):
    film, info = Film(2, 1), info_of(2)
    saved, ring = FrameReplay(MEMBERS, 30, info), Replay(MEMBERS, 30, info)
    batch = film.calls(calls)
    for replay in (saved, ring):
        replay.add(batch)
    restored = FrameReplay(MEMBERS, 30, info)
    restored.from_arrays(saved.to_arrays())
    more = film.calls(6)
    for replay in (saved, restored, ring):
        replay.add(more)
    assert_same_draws(saved, ring)
    assert_same_draws(restored, ring)
    for name, array in saved.to_arrays().items():
        np.testing.assert_array_equal(restored.to_arrays()[name], array, err_msg=name)


def test_only_needed_frames_are_saved_and_as_a_copy():
    film = Film(2, 1, still=0.0)
    replay = FrameReplay(MEMBERS, 1000, info_of(2))
    replay.add(film.calls(10, ends=0.0))
    arrays = replay.to_arrays()
    assert MEMBERS * 22 <= len(arrays["frames"]) < MEMBERS * 30
    before = {name: array.copy() for name, array in arrays.items()}
    replay.add(film.calls(600))
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
    assert len(replay.to_arrays()["frames"]) < MEMBERS * 1700  # and none that nothing can be made of


def test_arrays_of_another_shape_are_refused():
    arrays = FrameReplay(MEMBERS, 10, info_of(1)).to_arrays()
    with pytest.raises(ValueError, match=r"'frames' has shape \(3, 3, 3, 1\), not \(0, 3, 3, 1\)"):
        FrameReplay(MEMBERS, 10, info_of(1)).from_arrays(arrays | {"frames": np.zeros((3, 3, 3, 1), np.uint8)})


def test_atari_comes_back_bit_for_bit():
    """With lost lives, the restart of a checkpoint, and a ring that has gone round."""
    game, envs, capacity = "Breakout-v5", 2, 150
    environment = EnvironmentSpec(suite="envpool", id=game, envs_per_member=envs)
    info = describe("envpool", game)._replace(envs_per_member=envs)
    collector = HostCollector(make_environments(environment, MEMBERS * envs), MEMBERS, 0)
    random = np.random.default_rng(0)
    frames, ring = make_replay(MEMBERS, capacity, info), Replay(MEMBERS, capacity, info)
    assert isinstance(frames, FrameReplay)
    for number in range(2):
        collector.restart(number)
        actions = random.integers(0, info.action_size, (50, MEMBERS, envs)).astype(np.int32)
        rollout = collector.collect(Given(actions), Stopwatch())
        for replay in (frames, ring):
            replay.add(in_order_of_time(rollout))
        assert_same_draws(frames, ring, number, updates=4)
    collector.close()
    assert frames.nbytes < ring.nbytes / 6.8
    saved = sum(array.nbytes for array in frames.to_arrays().values())
    assert saved < sum(array.nbytes for array in ring.to_arrays().values()) / 6.8


@pytest.mark.parametrize("preset", ["dqn-pong-smoke", "td3-pbt-pendulum-smoke"])
def test_the_forecast_of_memory_is_what_a_replay_takes(preset):
    spec = parse_yaml(load_preset(preset).yaml)
    info = describe(spec.environment.suite, spec.environment.id)
    assert make_replay(spec.population.size, spec.replay.capacity, info).nbytes == replay_bytes(spec)


def test_a_copied_replay_is_the_parents_in_both_kinds():
    film = Film(2, 1)
    frames, ring = FrameReplay(MEMBERS, 30, info_of(2)), Replay(MEMBERS, 30, info_of(2))
    parents = np.array([MEMBERS - 1, *range(1, MEMBERS)], np.int32)
    batch, more = film.calls(20), film.calls(6)
    for replay in (frames, ring):
        replay.add(batch)
        replay.copy(parents)
    assert_same_draws(frames, ring)
    rewards = ring.to_arrays()["reward"]
    np.testing.assert_array_equal(rewards[0], rewards[MEMBERS - 1])
    for replay in (frames, ring):
        replay.add(more)
    assert_same_draws(frames, ring)
