"""Evaluation plays the same episodes with every member, and others every time."""

import numpy as np
import pytest

from phylon.spec.environment import EnvironmentSpec, ProcgenSpec
from phylon.worker.environments import has_unseen_levels, make_environments
from phylon.worker.execution import Actor
from phylon.worker.training.evaluate import HostEvaluator
from phylon.worker.training.randomness import environment_seeds, episodes_at_step, final_episodes

SIZE, EPISODES = 3, 4


FIRST = episodes_at_step(0, 100, SIZE, EPISODES)


def evaluator_on(id, suite="probe"):
    return HostEvaluator(make_environments(EnvironmentSpec(suite=suite, id=id), SIZE * EPISODES), SIZE)


def exploiting(act):
    return Actor([], lambda obs, keys: act(obs), lambda obs, keys, step: act(obs))


HALF_OF_OBS = exploiting(lambda obs: obs[..., :1] / 2)


def test_counts_the_first_episode_only():
    evaluation = evaluator_on("DelayedReward-v0").evaluate(HALF_OF_OBS, FIRST)
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
    evaluation = HostEvaluator(pool, SIZE).evaluate(HALF_OF_OBS, FIRST)
    expected = np.arange(1, SIZE * EPISODES + 1).reshape(SIZE, EPISODES)
    np.testing.assert_array_equal(evaluation.returns, expected)
    np.testing.assert_array_equal(evaluation.lengths, expected)
    assert pool.steps == SIZE * EPISODES


def test_equal_members_are_equally_fit_and_the_same_episodes_give_the_same_returns():
    evaluator = evaluator_on("Pendulum-v1", "gymnasium")
    first, second = evaluator.evaluate(HALF_OF_OBS, FIRST), evaluator.evaluate(HALF_OF_OBS, FIRST)
    np.testing.assert_array_equal(first.returns, second.returns)
    np.testing.assert_array_equal(first.returns, np.broadcast_to(first.returns[0], first.returns.shape))
    assert len(np.unique(first.returns[0])) == EPISODES  # but episodes differ
    assert (first.lengths == 200).all()


def first_observations(evaluator, episodes):
    """[P, episodes, ...] that an evaluation begins with."""
    seen = []
    evaluator.evaluate(exploiting(lambda obs: (seen.append(obs), obs[..., :1])[1]), episodes)
    return seen[0]


def check_that_starts_change(episodes_of):
    """Evaluations at several steps: all members begin alike, and no beginning comes twice."""
    evaluator = evaluator_on("Pendulum-v1", "gymnasium")
    starts = [first_observations(evaluator, episodes_of(0, step, SIZE, EPISODES)) for step in (100, 200, 2**33)]
    for start in starts:
        np.testing.assert_array_equal(start, np.broadcast_to(start[0], start.shape))
    beginnings = np.concatenate([start[0] for start in starts])
    assert len(np.unique(beginnings, axis=0)) == 3 * EPISODES


def test_every_evaluation_has_episodes_of_its_own():
    check_that_starts_change(episodes_at_step)


def test_the_former_rule_would_be_noticed():
    """Until version 2.1 the seeds did not depend on the step: the search saw a few beginnings only."""

    def fixed_episodes(seed, step, size, episodes):
        former = environment_seeds(seed, "evaluation", 0, episodes)
        return episodes_at_step(seed, step, size, episodes)._replace(seeds=former)

    with pytest.raises(AssertionError):
        check_that_starts_change(fixed_episodes)


def test_another_seed_has_other_episodes():
    first, second = (episodes_at_step(seed, 100, SIZE, EPISODES) for seed in (0, 1))
    assert not np.intersect1d(first.seeds, second.seeds).size
    assert (first.keys != second.keys).any(axis=1).all()


def test_no_selection_sees_an_episode_of_the_final_evaluation():
    seen = np.concatenate([episodes_at_step(0, step, SIZE, 1000).seeds for step in range(100)])
    final = np.concatenate([final_episodes(0, round, SIZE, 1000).seeds for round in range(10)])
    assert not np.intersect1d(seen, final).size
    assert len(np.unique(final)) == final.size
    assert max(seen.max(), final.max()) < 2**31  # what every environment library accepts


def test_members_that_act_by_chance_have_keys_of_their_own():
    keys = [episodes_at_step(0, step, SIZE, EPISODES).keys for step in (100, 200)]
    keys += [final_episodes(0, round, SIZE, EPISODES).keys for round in (0, 1)]
    assert len(np.unique(np.concatenate(keys), axis=0)) == 4 * SIZE
    np.testing.assert_array_equal(keys[0][:2], episodes_at_step(0, 100, 2, EPISODES).keys)


def test_frames_tell_mean_error_and_length():
    evaluation = evaluator_on("Pendulum-v1", "gymnasium").evaluate(HALF_OF_OBS, FIRST)
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

    evaluator = HostEvaluator(pools[0], SIZE, pools[1])
    evaluation = evaluator.evaluate(exploiting(walk), FIRST)
    pictures_of_all_levels, ranked = len(pictures), pictures[0]
    evaluator.evaluate_unseen(exploiting(walk), FIRST)
    evaluator.close()
    assert (pictures[pictures_of_all_levels] != ranked).any(), "the final evaluation plays levels of the test"
    del pictures[pictures_of_all_levels:]
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
    assert set(evaluator_on("ConstantReward-v0").evaluate(HALF_OF_OBS, FIRST).frames()) == {
        "evaluation/return",
        "evaluation/return_stderr",
        "evaluation/length",
    }


def test_one_episode_has_no_standard_error():
    evaluator = HostEvaluator(make_environments(EnvironmentSpec(suite="probe", id="ConstantReward-v0"), SIZE), SIZE)
    single = episodes_at_step(0, 100, SIZE, 1)
    assert np.isnan(evaluator.evaluate(HALF_OF_OBS, single).frames()["evaluation/return_stderr"]).all()
