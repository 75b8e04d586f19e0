"""Evaluation is the same for every member, every time."""

import numpy as np
import pytest

from phylon.spec.experiment import EnvironmentSpec
from worker.environments import make_environments
from worker.training.evaluate import Evaluator

SIZE, EPISODES = 3, 4


def evaluator_on(id, suite="probe", seed=0):
    return Evaluator(make_environments(EnvironmentSpec(suite=suite, id=id), SIZE * EPISODES), SIZE, seed)


def half_of_obs(obs):
    return obs[..., :1] / 2


def test_counts_the_first_episode_only():
    evaluation = evaluator_on("DelayedReward-v0").evaluate(half_of_obs)
    np.testing.assert_array_equal(evaluation.returns, np.ones((SIZE, EPISODES)))
    np.testing.assert_array_equal(evaluation.lengths, np.full((SIZE, EPISODES), 2))


def test_episodes_that_end_early_wait_for_the_rest():
    class Staggered:
        """Environment i ends after i + 1 steps of reward 1 and starts over."""

        def __init__(self, count):
            self.count, self.steps = count, 0
            self.info = make_environments(EnvironmentSpec(suite="probe", id="DelayedReward-v0"), 1).info._replace(
                max_episode_steps=None
            )

        def reset(self, seeds):
            return np.zeros((self.count, 1), np.float32)

        def step(self, actions):
            from worker.environments import StepResult

            self.steps += 1
            ended = self.steps % np.arange(1, self.count + 1) == 0
            obs = np.zeros((self.count, 1), np.float32)
            return StepResult(obs, np.ones(self.count, np.float32), ended, np.zeros_like(ended), obs)

        def close(self):
            pass

    pool = Staggered(SIZE * EPISODES)
    evaluation = Evaluator(pool, SIZE, 0).evaluate(half_of_obs)
    expected = np.arange(1, SIZE * EPISODES + 1).reshape(SIZE, EPISODES)
    np.testing.assert_array_equal(evaluation.returns, expected)
    np.testing.assert_array_equal(evaluation.lengths, expected)
    assert pool.steps == SIZE * EPISODES


def test_equal_members_are_equally_fit_and_stay_so():
    evaluator = evaluator_on("Pendulum-v1", "gymnasium")
    first, second = evaluator.evaluate(half_of_obs), evaluator.evaluate(half_of_obs)
    np.testing.assert_array_equal(first.returns, second.returns)
    np.testing.assert_array_equal(first.returns, np.broadcast_to(first.returns[0], first.returns.shape))
    assert len(np.unique(first.returns[0])) == EPISODES  # but episodes differ
    assert (first.lengths == 200).all()


def test_another_seed_is_another_examination():
    first, second = (evaluator_on("Pendulum-v1", "gymnasium", seed).evaluate(half_of_obs) for seed in (0, 1))
    assert (first.returns != second.returns).all()


def test_frames_tell_mean_error_and_length():
    evaluation = evaluator_on("Pendulum-v1", "gymnasium").evaluate(half_of_obs)
    frames = evaluation.frames()
    assert frames["evaluation/return"] == pytest.approx(evaluation.returns.mean(axis=1), rel=1e-6)
    assert frames["evaluation/return_stderr"][0] == pytest.approx(evaluation.returns[0].std(ddof=1) / 2)
    assert frames["evaluation/length"] == [200.0] * SIZE


def test_one_episode_has_no_standard_error():
    evaluator = Evaluator(make_environments(EnvironmentSpec(suite="probe", id="ConstantReward-v0"), SIZE), SIZE, 0)
    assert np.isnan(evaluator.evaluate(half_of_obs).frames()["evaluation/return_stderr"]).all()
