import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import psutil
import pytest

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import describe, gymnasium_suite, make_environments, make_renderer
from phylon.worker.environments.gymnasium_inline import InlineEnvironments
from phylon.worker.environments.gymnasium_processes import ProcessEnvironments
from phylon.worker.environments.host import StepResult

REPOSITORY = Path(__file__).resolve().parents[3]
WITH_US = os.environ | {"PYTHONPATH": str(REPOSITORY)}

CARTPOLE = EnvironmentSpec(suite="gymnasium", id="CartPole-v1")


@pytest.fixture
def pool():
    """Opens pools and closes them afterwards."""
    opened = []

    def make(id, count, stepping="inline"):
        opened.append(make_environments(EnvironmentSpec(suite="gymnasium", id=id, stepping=stepping), count))
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
        np.testing.assert_array_equal(result.next_obs, result.obs)


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
    assert environments.info == describe("gymnasium", "HalfCheetah-v5") == EnvironmentInfo((17,), 6, 1000)
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
    with pytest.raises(EnvironmentUnavailable, match="nobody allowed"):
        describe("gymnasium", "strange_module:Env-v0")
    assert "strange_module" not in sys.modules


def test_an_unknown_id_is_named():
    with pytest.raises(EnvironmentUnavailable, match="Gymnasium cannot make 'NoSuchThing-v0'"):
        describe("gymnasium", "NoSuchThing-v0")


@pytest.mark.filterwarnings("ignore:.*HalfCheetah-v3 is out of date:DeprecationWarning")
def test_an_id_without_its_package_is_named():
    with pytest.raises(EnvironmentUnavailable, match=r"cannot make 'HalfCheetah-v3'.*packages of its family"):
        describe("gymnasium", "HalfCheetah-v3")


def test_discrete_actions_go_through_as_they_are(pool, reference):
    environments, plain = pool("CartPole-v1", 2), reference("CartPole-v1")
    assert environments.info == EnvironmentInfo((4,), 2, 500, is_discrete=True)
    environments.reset(np.array([0, 7]))
    plain.reset(seed=7)
    for action in (0, 1, 1):
        result = environments.step(np.array([1, action], np.int32))
        np.testing.assert_array_equal(result.obs[1], plain.step(action)[0])


class Pictures(gymnasium.Env):
    """Shows its action as grey, and counts actions from -1."""

    observation_space = gymnasium.spaces.Box(0, 255, (2, 2, 1), np.uint8)
    action_space = gymnasium.spaces.Discrete(3, start=-1)

    def reset(self, *, seed=None, options=None):
        return np.full((2, 2, 1), 7, np.uint8), {}

    def step(self, action):
        return np.full((2, 2, 1), 100 + action, np.uint8), 0.0, False, False, {}


def test_pictures_stay_bytes_and_actions_begin_where_the_environment_says():
    environments = InlineEnvironments([Pictures()], EnvironmentInfo((2, 2, 1), 3, None, True, "uint8"))
    assert environments.reset(np.array([0])).dtype == np.uint8
    result = environments.step(np.array([0], np.int32))
    assert result.obs.dtype == result.next_obs.dtype == np.uint8
    assert (result.obs == 99).all()


def test_processes_and_inline_give_the_same_numbers(pool):
    """Pendulum is truncated and InvertedPendulum terminated within these steps."""
    for id, count, steps in (("Pendulum-v1", 3, 205), ("InvertedPendulum-v5", 3, 30)):
        inline, processes = pool(id, count, "inline"), pool(id, count, "processes")
        assert isinstance(processes, ProcessEnvironments)
        random = np.random.default_rng(0)
        ended = 0
        for seeds in (np.array([1, 2, 3]), np.array([4, 5, 6])):
            np.testing.assert_array_equal(inline.reset(seeds), processes.reset(seeds))
            for _ in range(steps):
                actions = random.uniform(-1, 1, (count, inline.info.action_size)).astype(np.float32)
                expected, result = inline.step(actions), processes.step(actions)
                for name in StepResult._fields:
                    np.testing.assert_array_equal(getattr(result, name), getattr(expected, name), err_msg=name)
                ended += (result.terminated | result.truncated).sum()
        assert ended >= count


def test_what_processes_give_may_be_kept_and_their_faults_are_told(pool):
    environments, actions = pool("CartPole-v1", 2, "processes"), np.array([0, 1], np.int32)
    with pytest.raises(RuntimeError, match="process of 'CartPole-v1' failed:") as caught:
        environments.step(actions)
    assert "Cannot call env.step() before" in str(caught.value)

    first = environments.reset(np.array([0, 1]))
    kept = first.copy()
    result = environments.step(actions)
    result_kept = result.obs.copy()
    environments.step(actions)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(result.obs, result_kept)

    environments._workers[0][0].kill()
    with pytest.raises(RuntimeError, match="process of 'CartPole-v1' died with exit code -9"):
        for _ in range(2):  # the first one may still be answered
            environments.step(actions)
    environments.close()
    assert not any(process.is_alive() for process, _ in environments._workers)


def test_processes_end_with_the_trainer(tmp_path):
    """Even when nothing of it could run any more."""
    script = tmp_path / "trainer.py"
    script.write_text(
        "import os, numpy as np\n"
        "from phylon.spec.environment import EnvironmentSpec\n"
        "from worker.environments import make_environments\n"
        "if __name__ == '__main__':\n"
        "    spec = EnvironmentSpec(suite='gymnasium', id='CartPole-v1', stepping='processes')\n"
        "    environments = make_environments(spec, 2)\n"
        "    environments.reset(np.arange(2))\n"
        "    print(*(process.pid for process, _ in environments._workers), flush=True)\n"
        "    os._exit(76)\n"
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=REPOSITORY, env=WITH_US)
    assert ended.returncode == 76, ended.stderr
    waiting = [psutil.Process(int(pid)) for pid in ended.stdout.split() if psutil.pid_exists(int(pid))]
    _, alive = psutil.wait_procs(waiting, timeout=30)
    assert not alive


def test_auto_weighs_the_steps_against_the_handing_over(pool, monkeypatch):
    monkeypatch.setattr(gymnasium_suite, "_step_seconds", lambda _: 0.2e-3)
    assert not gymnasium_suite._processes_pay(CARTPOLE, count=4, processes=2)  # two steps saved: 0.4 ms
    assert gymnasium_suite._processes_pay(CARTPOLE, count=6, processes=2)  # three: 0.6 ms
    assert not gymnasium_suite._processes_pay(CARTPOLE, count=6, processes=1)
    assert isinstance(pool("CartPole-v1", 2, "auto"), InlineEnvironments)


def test_the_measurement_is_of_one_environment():
    assert 0 < gymnasium_suite._step_seconds(CARTPOLE.model_dump_json()) < 1


@pytest.mark.parametrize("id", ["CartPole-v1", "InvertedPendulum-v5"])
def test_what_is_drawn_is_the_episode_that_a_pool_sees(id, pool):
    renderer = make_renderer(EnvironmentSpec(suite="gymnasium", id=id))
    assert renderer is not None, "this machine lacks the libraries for drawing; the log says which"
    environments = pool(id, 1)
    np.testing.assert_array_equal(renderer.environments.reset(np.array([5])), environments.reset(np.array([5])))
    first = renderer.frame()
    assert first.ndim == 3 and first.shape[2] == 3 and first.dtype == np.uint8
    action = np.zeros(1, np.int32) if environments.info.is_discrete else np.ones((1, 1), np.float32)
    for _ in range(4):
        shown, expected = renderer.environments.step(action), environments.step(action)
        np.testing.assert_array_equal(shown.obs, expected.obs)
    assert (renderer.frame() != first).any()
    assert renderer.frames_per_second > 0
    renderer.environments.close()


def test_what_cannot_be_drawn_here_is_no_error(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert make_renderer(EnvironmentSpec(suite="gymnasium", id="CartPole-v1")) is None
    assert "'CartPole-v1' cannot be drawn here" in caplog.text


def test_choices_among_observations_are_one_hot(pool):
    assert describe("gymnasium", "Taxi-v4").observation_shape == (500,)
    obs = pool("Blackjack-v1", 2).reset(np.array([3, 4]))
    assert obs.shape == (2, 32 + 11 + 2)
    assert (obs[:, :32].sum(axis=1) == 1).all() and (obs.sum(axis=1) == 3).all()
