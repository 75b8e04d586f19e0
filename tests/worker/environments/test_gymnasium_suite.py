import sys

import gymnasium
import numpy as np
import pytest

from phylon.spec.experiment import EnvironmentSpec
from worker.core.errors import EnvironmentUnavailable, UnsupportedEnvironment
from worker.environments import describe, make_environments


@pytest.fixture
def pool():
    """Opens pools and closes them afterwards."""
    opened = []

    def make(id, count):
        opened.append(make_environments(EnvironmentSpec(suite="gymnasium", id=id), count))
        return opened[-1]

    yield make
    for environments in opened:
        environments.close()


@pytest.fixture
def reference():
    """Plain Gymnasium environments to compare with."""
    opened = []

    def make(id):
        opened.append(gymnasium.make(id))
        return opened[-1]

    yield make
    for environment in opened:
        environment.close()


def test_it_steps_as_gymnasium_does_with_actions_scaled(pool, reference):
    environments, plain = pool("Pendulum-v1", 2), [reference("Pendulum-v1") for _ in range(2)]
    obs = environments.reset(np.array([3, 4]))
    for row, seed in enumerate((3, 4)):
        np.testing.assert_array_equal(obs[row], plain[row].reset(seed=seed)[0])
    for torque in (-1.0, 0.25, 1.0):
        result = environments.step(np.full((2, 1), torque, np.float32))
        for row in range(2):
            expected, reward, *_ = plain[row].step(np.array([2 * torque], np.float32))  # Pendulum takes [-2, 2]
            np.testing.assert_array_equal(result.obs[row], expected)
            assert result.reward[row] == np.float32(reward)
        assert result.next_obs is result.obs


def test_a_time_limit_truncates_and_restarts_with_its_own_randomness(pool, reference):
    environments, plain = pool("Pendulum-v1", 1), reference("Pendulum-v1")
    environments.reset(np.array([3]))
    plain.reset(seed=3)
    for step in range(1, 201):
        result = environments.step(np.zeros((1, 1), np.float32))
        last, *_ = plain.step(np.zeros(1, np.float32))
        assert bool(result.truncated[0]) == (step == 200)
    assert not result.terminated[0]
    np.testing.assert_array_equal(result.next_obs[0], last)
    np.testing.assert_array_equal(result.obs[0], plain.reset()[0])
    assert not np.array_equal(result.obs, result.next_obs)


def test_termination_is_told_apart_and_touches_no_other_environment(pool):
    environments = pool("InvertedPendulum-v5", 2)
    environments.reset(np.array([0, 1]))
    ended = np.zeros(2, bool)
    while not ended.any():
        result = environments.step(np.array([[1.0], [0.0]], np.float32))
        ended = result.terminated
    assert ended.tolist() == [True, False]
    assert not result.truncated.any()
    assert abs(result.next_obs[0, 1]) > 0.2  # the pole fell
    assert abs(result.obs[0, 1]) < 0.02  # and stands again
    np.testing.assert_array_equal(result.obs[1], result.next_obs[1])


def test_arrays_are_float32_and_may_be_kept(pool):
    environments = pool("HalfCheetah-v5", 2)
    assert environments.info == describe("gymnasium", "HalfCheetah-v5") == ((17,), 6, 1000)
    first = environments.reset(np.array([0, 1]))
    kept = first.copy()
    result = environments.step(np.zeros((2, 6), np.float32))
    result_kept = result.obs.copy()
    environments.step(np.ones((2, 6), np.float32))
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(result.obs, result_kept)
    assert first.dtype == result.obs.dtype == result.reward.dtype == np.float32
    assert result.terminated.dtype == result.truncated.dtype == np.bool_


def test_the_same_seeds_give_the_same_episodes(pool):
    environments = pool("Pendulum-v1", 2)
    action = np.full((2, 1), 0.3, np.float32)

    def episode():
        return [environments.reset(np.array([5, 6])), *(environments.step(action).obs for _ in range(3))]

    np.testing.assert_array_equal(episode(), episode())


def test_mujoco_leaves_no_file_behind(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pool("HalfCheetah-v5", 2)
    assert list(tmp_path.iterdir()) == []


def test_module_qualified_ids_are_refused_and_nothing_is_imported(tmp_path, monkeypatch):
    (tmp_path / "strange_module.py").write_text("raise AssertionError('this code must not run')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EnvironmentUnavailable, match="names a module"):
        describe("gymnasium", "strange_module:Env-v0")
    assert "strange_module" not in sys.modules


def test_an_unknown_id_is_named():
    with pytest.raises(EnvironmentUnavailable, match="Gymnasium cannot make 'NoSuchThing-v0'"):
        describe("gymnasium", "NoSuchThing-v0")


@pytest.mark.filterwarnings("ignore:.*HalfCheetah-v3 is out of date:DeprecationWarning")
def test_an_id_without_its_package_is_named():
    with pytest.raises(EnvironmentUnavailable, match=r"cannot make 'HalfCheetah-v3'.*packages of its family"):
        describe("gymnasium", "HalfCheetah-v3")


@pytest.mark.parametrize(
    ("id", "match"), [("CartPole-v1", "actions of 'CartPole-v1'"), ("Taxi-v4", "observations of 'Taxi-v4'")]
)
def test_spaces_that_the_engine_cannot_use_are_refused(id, match):
    with pytest.raises(UnsupportedEnvironment, match=match):
        describe("gymnasium", id)


def test_a_missing_library_is_named_with_the_remedy(monkeypatch):
    monkeypatch.delitem(sys.modules, "worker.environments.gymnasium_suite", raising=False)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(EnvironmentUnavailable, match=r"needs the package 'gymnasium'.*pip install 'phylon\[worker\]'"):
        describe("gymnasium", "Pendulum-v1")


def test_an_unknown_suite_is_named():
    with pytest.raises(EnvironmentUnavailable, match="unknown environment suite 'atari'; use one of gymnasium, probe"):
        describe("atari", "Pong")
