"""Evaluation is the same for every member, every time."""

import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec, ProcgenSpec
from phylon.worker.environments import has_unseen_levels, make_environments
from phylon.worker.execution import Actor
from phylon.worker.training.evaluate import HostEvaluator

SIZE, EPISODES = 3, 4


def evaluator_on(id, suite="probe", seed=0):
    return HostEvaluator(make_environments(EnvironmentSpec(suite=suite, id=id), SIZE * EPISODES), SIZE, seed)


def exploiting(act):
    return Actor([], lambda obs, keys: act(obs), act)


HALF_OF_OBS = exploiting(lambda obs: obs[..., :1] / 2)


def test_counts_the_first_episode_only():
    evaluation = evaluator_on("DelayedReward-v0").evaluate(HALF_OF_OBS)
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
            from phylon.worker.environments import StepResult

            self.steps += 1
            ended = self.steps % np.arange(1, self.count + 1) == 0
            obs = np.zeros((self.count, 1), np.float32)
            return StepResult(obs, np.ones(self.count, np.float32), ended, np.zeros_like(ended), obs)

        def close(self):
            pass

    pool = Staggered(SIZE * EPISODES)
    evaluation = HostEvaluator(pool, SIZE, 0).evaluate(HALF_OF_OBS)
    expected = np.arange(1, SIZE * EPISODES + 1).reshape(SIZE, EPISODES)
    np.testing.assert_array_equal(evaluation.returns, expected)
    np.testing.assert_array_equal(evaluation.lengths, expected)
    assert pool.steps == SIZE * EPISODES


def test_equal_members_are_equally_fit_and_stay_so():
    evaluator = evaluator_on("Pendulum-v1", "gymnasium")
    first, second = evaluator.evaluate(HALF_OF_OBS), evaluator.evaluate(HALF_OF_OBS)
    np.testing.assert_array_equal(first.returns, second.returns)
    np.testing.assert_array_equal(first.returns, np.broadcast_to(first.returns[0], first.returns.shape))
    assert len(np.unique(first.returns[0])) == EPISODES  # but episodes differ
    assert (first.lengths == 200).all()


def test_another_seed_is_another_examination():
    first, second = (evaluator_on("Pendulum-v1", "gymnasium", seed).evaluate(HALF_OF_OBS) for seed in (0, 1))
    assert (first.returns != second.returns).all()


def test_frames_tell_mean_error_and_length():
    evaluation = evaluator_on("Pendulum-v1", "gymnasium").evaluate(HALF_OF_OBS)
    frames = evaluation.frames()
    assert frames["evaluation/return"] == pytest.approx(evaluation.returns.mean(axis=1), rel=1e-6)
    assert frames["evaluation/return_stderr"][0] == pytest.approx(evaluation.returns[0].std(ddof=1) / 2)
    assert frames["evaluation/length"] == [200.0] * SIZE


def test_unseen_levels_are_played_apart_and_rank_nobody():
    """One level to train on: all first pictures are alike, but for those of the test."""
    environment = EnvironmentSpec(suite="envpool", id="MazeEasy-v0", procgen=ProcgenSpec(levels=1))
    assert has_unseen_levels(environment)
    assert not has_unseen_levels(environment.model_copy(update={"procgen": ProcgenSpec(levels=0)}))
    pools = [make_environments(environment, SIZE * EPISODES, purpose) for purpose in ("evaluate", "test")]
    pictures = []

    def walk(obs):
        pictures.append(obs)
        return np.broadcast_to(np.arange(SIZE)[:, None] == 1, (SIZE, EPISODES)).astype(np.int32)

    evaluator = HostEvaluator(pools[0], SIZE, 0, pools[1])
    evaluation = evaluator.evaluate(exploiting(walk))
    evaluator.close()
    first, other = (pictures[number].reshape(SIZE * EPISODES, -1) for number in (0, len(pictures) // 2))
    assert len(np.unique(first, axis=0)) == 1
    assert len(np.unique(other, axis=0)) == EPISODES
    evaluation = evaluation._replace(test_returns=np.arange(12.0).reshape(SIZE, EPISODES))
    np.testing.assert_array_equal(evaluation.means, evaluation.returns.mean(axis=1))
    frames = evaluation.frames()
    assert frames["evaluation/test_return"] == [1.5, 5.5, 9.5]
    assert frames["evaluation/test_return_stderr"][0] == pytest.approx(np.std([0, 1, 2, 3], ddof=1) / 2)


def test_suites_without_levels_tell_nothing_of_a_test():
    assert not has_unseen_levels(EnvironmentSpec(suite="gymnasium", id="Pendulum-v1"))
    assert set(evaluator_on("ConstantReward-v0").evaluate(HALF_OF_OBS).frames()) == {
        "evaluation/return",
        "evaluation/return_stderr",
        "evaluation/length",
    }


def test_one_episode_has_no_standard_error():
    evaluator = HostEvaluator(make_environments(EnvironmentSpec(suite="probe", id="ConstantReward-v0"), SIZE), SIZE, 0)
    assert np.isnan(evaluator.evaluate(HALF_OF_OBS).frames()["evaluation/return_stderr"]).all()
