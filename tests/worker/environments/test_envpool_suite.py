import itertools

import numpy as np
import pytest
from envpool.registration import registry

from phylon.spec.environment import AtariSpec, EnvironmentSpec, ProcgenSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import describe, find_entry, make_environments, make_renderer
from phylon.worker.environments.host import StepResult

DM_CONTROL_SIZES = {
    "WalkerRun-v1": 24,
    "QuadrupedRun-v1": 78,
    "QuadrupedWalk-v1": 78,
    "ReacherHard-v1": 6,
    "HumanoidRun-v1": 67,
    "HumanoidWalk-v1": 67,
    "HumanoidStand-v1": 67,
    "SwimmerSwimmer6-v1": 25,
    "CheetahRun-v1": 17,
    "HopperHop-v1": 15,
    "HopperStand-v1": 15,
    "AcrobotSwingup-v1": 6,
    "PendulumSwingup-v1": 3,
    "FingerTurnHard-v1": 12,
    "FishSwim-v1": 24,
}
"""The fifteen tasks of DMC15, and how much dm_control itself shows of them."""


@pytest.fixture
def pool():
    """Opens pools and closes them afterwards."""
    opened = []

    def make(id, count, purpose="train", **options):
        spec = EnvironmentSpec(suite="envpool", id=id, **options)
        opened.append(make_environments(spec, count, purpose))
        return opened[-1]

    yield make
    for environments in opened:
        environments.close()


def random_actions(info, count, random):
    if info.is_discrete:
        return random.integers(info.action_size, size=count).astype(np.int32)
    return random.uniform(-1, 1, (count, info.action_size)).astype(np.float32)


def play(environments, seeds, steps) -> list[StepResult]:
    random = np.random.default_rng(0)
    environments.reset(np.asarray(seeds))
    return [environments.step(random_actions(environments.info, environments.count, random)) for _ in range(steps)]


@pytest.mark.parametrize("id", ["CartPole-v1", "HalfCheetah-v5", "PendulumSwingup-v1", "Breakout-v5", "BigfishEasy-v0"])
def test_seeds_alone_decide(id, pool):
    environments, info = pool(id, 3), describe("envpool", id)
    assert environments.info == info
    first = environments.reset(np.array([5, 6, 5]))
    assert first.shape == (3, *info.observation_shape)
    assert first.dtype == info.observation_dtype
    once = play(environments, [5, 6, 8], 30)
    for before, again in zip(once, play(environments, [5, 6, 8], 30), strict=True):
        for name in StepResult._fields:
            np.testing.assert_array_equal(getattr(again, name), getattr(before, name), err_msg=name)
    assert not np.array_equal(once[-1].obs[0], once[-1].obs[1])


def test_an_environment_depends_on_its_own_seed_only(pool):
    wide, narrow = pool("CartPole-v1", 3), pool("CartPole-v1", 1)
    np.testing.assert_array_equal(wide.reset(np.array([1, 2, 3]))[1:2], narrow.reset(np.array([2])))
    for action in (0, 1, 0):
        result = wide.step(np.array([1, action, 1], np.int32))
        np.testing.assert_array_equal(result.obs[1:2], narrow.step(np.array([action], np.int32)).obs)


def test_termination_is_told_apart_and_touches_no_other_environment(pool):
    environments = pool("CartPole-v1", 2)
    environments.reset(np.array([0, 1]))
    for number in range(30):
        result = environments.step(np.array([1, number % 2], np.int32))
        if result.terminated.any():
            break
    assert result.terminated.tolist() == [True, False]
    assert not result.truncated.any()
    assert abs(result.next_obs[0, 2]) > 0.2  # the pole fell
    assert abs(result.obs[0, 2]) < 0.06  # and stands again
    np.testing.assert_array_equal(result.obs[1], result.next_obs[1])
    following = environments.step(np.array([1, 0], np.int32))
    assert following.obs[0, 1] > result.obs[0, 1]  # the action counts: no step is lost to the restart
    assert following.reward.tolist() == [1, 1]


def test_a_time_limit_truncates(pool):
    environments = pool("Pendulum-v1", 2)
    results = play(environments, [3, 4], 200)
    assert not any((result.terminated | result.truncated).any() for result in results[:-1])
    last = results[-1]
    assert last.truncated.all()
    assert not last.terminated.any()
    assert not np.array_equal(last.obs, last.next_obs)


def test_dm_control_only_truncates(pool):
    last = play(pool("PendulumSwingup-v1", 1), [3], 1000)[-1]
    assert (last.terminated.tolist(), last.truncated.tolist()) == ([False], [True])


def test_actions_are_scaled(pool):
    environments = pool("Pendulum-v1", 3)
    cosine, sine, speed = environments.reset(np.array([1, 2, 3])).T
    actions = np.array([[-1.0], [0.25], [1.0]], np.float32)
    result = environments.step(actions)
    expected = speed + (15 * sine + 3 * 2 * actions[:, 0]) * 0.05  # Pendulum takes [-2, 2]
    np.testing.assert_allclose(result.obs[:, 2], expected, rtol=1e-4)
    assert cosine.shape == (3,)


def test_arrays_may_be_kept(pool):
    for id in ("BigfishEasy-v0", "HalfCheetah-v5"):
        environments = pool(id, 2)
        kept = play(environments, [0, 1], 5)
        copies = [result.obs.copy() for result in kept]
        environments.step(random_actions(environments.info, 2, np.random.default_rng(1)))
        for result, copy in zip(kept, copies, strict=True):
            np.testing.assert_array_equal(result.obs, copy)


@pytest.mark.parametrize("id", DM_CONTROL_SIZES)
def test_dm_control_shows_what_dm_control_shows(id):
    assert find_entry("envpool", id).observation.shape == (DM_CONTROL_SIZES[id],)


def test_fields_are_laid_end_to_end(pool):
    obs = pool("WalkerRun-v1", 2).reset(np.array([0, 1]))
    assert obs.shape == (2, 24)
    assert obs.dtype == np.float32
    orientations = obs[:, :14].reshape(2, 7, 2)
    np.testing.assert_allclose(np.square(orientations).sum(axis=2), 1, rtol=1e-5)  # sine and cosine of each


def test_atari_frames_are_stacked_with_the_newest_last(pool):
    environments = pool("Breakout-v5", 2)
    assert environments.info == EnvironmentInfo((84, 84, 4), 4, 27000, True, "uint8", frame_stack=4)
    results = play(environments, [0, 1], 12)
    for before, after in itertools.pairwise(results):
        np.testing.assert_array_equal(after.next_obs[..., :3], before.obs[..., 1:])
    assert any((result.obs[..., 3] != result.obs[..., 2]).any() for result in results)


def test_a_lost_life_ends_episodes_for_training_only(pool):
    def first_end(purpose, **atari):
        results = play(pool("Breakout-v5", 1, purpose, atari=AtariSpec(**atari)), [0], 250)
        return next(number for number, result in enumerate(results) if result.terminated[0])

    one_life = first_end("train")
    assert first_end("train", life_loss_ends_episode=False) > 2 * one_life
    assert first_end("evaluate") == first_end("train", life_loss_ends_episode=False)


def test_rewards_are_clipped_for_training_only(pool):
    def rewards(purpose, **atari):
        results = play(pool("SpaceInvaders-v5", 2, purpose, atari=AtariSpec(**atari)), [0, 1], 150)
        return {float(reward) for result in results for reward in result.reward}

    assert rewards("train") == {0.0, 1.0}
    assert max(rewards("train", clip_rewards=False)) > 1
    assert max(rewards("evaluate")) > 1


def test_other_atari_options_reach_the_game(pool):
    def last(**atari):
        return play(pool("Breakout-v5", 1, atari=AtariSpec(**atari)), [3], 60)[-1].obs

    plain = last()
    assert not np.array_equal(plain, last(sticky_actions=0.5))
    assert not np.array_equal(plain, last(idle_starts=1))


def test_atari_is_truncated_by_its_time_limit(pool, monkeypatch):
    monkeypatch.setitem(registry.specs["Breakout-v5"][2], "max_episode_steps", 20)
    last = play(pool("Breakout-v5", 1), [0], 20)[-1]
    assert (last.terminated.tolist(), last.truncated.tolist()) == ([False], [True])


def levels(environments, steps=60):
    environments.reset(np.arange(environments.count))
    seen = set()
    for _ in range(steps):
        *_, info = environments._pool.step(np.zeros(environments.count, np.int32))
        seen |= set(info["level_seed"].tolist())
    return seen


def test_procgen_has_levels_to_train_and_rank_by_and_tests_on_all(pool):
    few = ProcgenSpec(levels=3, start_level=7)
    assert pool("BigfishEasy-v0", 1).info == EnvironmentInfo((64, 64, 3), 15, 6000, True, "uint8")
    for purpose in ("train", "evaluate"):
        assert levels(pool("BigfishEasy-v0", 32, purpose, procgen=few)) == {7, 8, 9}
    assert levels(pool("BigfishEasy-v0", 32)) <= set(range(200))
    assert len(levels(pool("BigfishEasy-v0", 32, "test", procgen=few)) - set(range(200))) > 20
    assert len(levels(pool("BigfishEasy-v0", 32, procgen=ProcgenSpec(levels=0))) - set(range(200))) > 20


def test_procgen_tells_truncation_from_termination_and_shows_the_last_picture(pool):
    maze, idle = pool("MazeEasy-v0", 2), np.full(2, 4, np.int32)
    before = maze.reset(np.array([0, 1]))
    for _ in range(500):
        result = maze.step(idle)
    assert (result.truncated.all(), result.terminated.any()) == (True, False)
    np.testing.assert_array_equal(result.next_obs, before)  # nothing moved
    assert (result.obs != before).any()
    results = play(pool("BigfishEasy-v0", 16), range(16), 60)
    assert any(result.terminated.any() for result in results)
    assert not any(result.truncated.any() for result in results)


def test_no_file_is_left_behind(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(pool("HalfCheetah-v5", 1), [0], 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("id", "match"),
    [
        ("Taxi-v3", "observations of 'Taxi-v3' are 500 discrete values"),
        ("MiniGrid-Empty-5x5-v0", "observations of 'MiniGrid-Empty-5x5-v0' are a space without a fixed size"),
        ("LqrLqr21-v1", "actions of 'LqrLqr21-v1' are a space without a fixed size or without bounds"),
    ],
)
def test_what_the_engine_cannot_use_is_refused(id, match):
    with pytest.raises(UnsupportedEnvironment, match=match):
        describe("envpool", id)


def test_a_critic_may_not_peep(pool):
    """Playground shows a privileged state as well, which no policy would have in reality."""
    assert find_entry("envpool", "ApolloJoystickFlatTerrain-v1").observation.shape == (112,)


@pytest.mark.parametrize(("id", "shape"), [("CartPole-v1", (400, 600, 3)), ("Pong-v5", (210, 160, 3))])
def test_what_is_drawn_is_the_episode_that_a_pool_sees(id, shape, pool):
    renderer = make_renderer(EnvironmentSpec(suite="envpool", id=id))
    assert renderer is not None
    frames = []
    for shown, expected in zip(play(renderer.environments, [5], 5), play(pool(id, 1, "evaluate"), [5], 5), strict=True):
        np.testing.assert_array_equal(shown.obs, expected.obs)
    for _ in range(20):
        frames.append(renderer.frame())
        renderer.environments.step(np.ones(1, np.int32))
    assert {frame.shape for frame in frames} == {shape}
    assert frames[0].dtype == np.uint8
    assert any((frame != frames[0]).any() for frame in frames)
    renderer.environments.close()


def test_what_cannot_be_drawn_is_no_error(caplog):
    assert make_renderer(EnvironmentSpec(suite="envpool", id="Catch-v0")) is None
    assert "'Catch-v0' cannot be drawn here" in caplog.text
