"""Where fitness comes from: training episodes by hand-computed numbers, metrics, tests, and that reports stay true."""

from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Failed, Lineage
from phylon.worker.gang.gang import ALONE
from phylon.worker.training.evaluate import Evaluation
from phylon.worker.training.fitness_source import measure
from phylon.worker.training.metrics import EpisodeReturns

from .runs import Killed, KilledAfter, frames_of, last_arrays, reproducible

NAN = float("nan")


def play(episodes: EpisodeReturns, rewards: list[list[float]], ends: list[list[int]]) -> None:
    """Steps of one environment per member, [P][calls]."""
    episodes.add(np.float32(rewards)[:, :, None], np.bool_(ends)[:, :, None])


class TestTrainingEpisodes:
    def test_across_segments(self):
        episodes = EpisodeReturns(2, 1, kept=2)
        play(episodes, [[1, 2, 4], [1, 1, 1]], [[0, 1, 0], [0, 0, 0]])
        np.testing.assert_array_equal(episodes.latest(), [[NAN, 3], [NAN, NAN]])
        play(episodes, [[8, 16, 32], [1, 1, 1]], [[1, 1, 0], [0, 0, 1]])
        np.testing.assert_array_equal(episodes.latest(), [[12, 16], [NAN, 6]])

    def test_several_environments_in_order_of_time(self):
        episodes = EpisodeReturns(1, 2, kept=3)
        rewards, ends = [[1, 10], [2, 20], [4, 40]], [[0, 1], [1, 0], [0, 1]]
        episodes.add(np.float32([rewards]), np.bool_([ends]))
        np.testing.assert_array_equal(episodes.latest(), [[10, 3, 60]])

    def test_a_copy_has_what_its_weights_have_achieved(self):
        """The episode under way was begun by others, so it counts for nobody; the next one does."""
        episodes = EpisodeReturns(2, 1, kept=2)
        play(episodes, [[1, 1], [5, 5]], [[1, 0], [1, 0]])
        episodes.inherit(episodes.latest()[[1, 1]], np.array([True, False]))
        np.testing.assert_array_equal(episodes.latest(), [[NAN, 5], [NAN, 5]])
        play(episodes, [[1, 3, 3], [5, 7, 7]], [[1, 0, 1], [1, 0, 1]])
        np.testing.assert_array_equal(episodes.latest(), [[5, 6], [10, 14]])

    def test_reset_weights_have_achieved_nothing(self):
        episodes = EpisodeReturns(1, 1, kept=2)
        play(episodes, [[1, 1]], [[1, 0]])
        episodes.forget()
        play(episodes, [[1, 2]], [[1, 1]])
        np.testing.assert_array_equal(episodes.latest(), [[NAN, 2]])

    def test_episodes_that_a_checkpoint_cuts_do_not_count(self):
        episodes, resumed = EpisodeReturns(1, 1, kept=2), EpisodeReturns(1, 1, kept=2)
        play(episodes, [[1, 100]], [[1, 0]])
        resumed.from_arrays(episodes.to_arrays())
        episodes.cut()
        for each in (episodes, resumed):
            play(each, [[3]], [[1]])
            np.testing.assert_array_equal(each.latest(), [[1, 3]])

    def test_the_mean_that_is_reported_is_what_it_was(self):
        plain, keeping = EpisodeReturns(2, 3), EpisodeReturns(2, 3, kept=4)
        random = np.random.default_rng(0)
        for _ in range(20):
            reward, ended = random.normal(size=(2, 5, 3)).astype(np.float32), random.random((2, 5, 3)) < 0.3
            plain.add(reward, ended)
            keeping.add(reward, ended)
        np.testing.assert_array_equal(plain.returns(), keeping.returns())


class Collected:
    """An attempt of which only training episodes are asked for."""

    def __init__(self, returns: list[list[float]]) -> None:
        self.parts = self.collector = self.episodes = self
        self.gang = ALONE
        self.latest = lambda: np.array(returns)


def test_means_of_the_episodes_there_are():
    evaluation = Evaluation(np.zeros((3, 2)), np.zeros((3, 2), np.int64))
    attempt: Any = Collected([[NAN, NAN], [NAN, 4], [2, 6]])
    measured = measure(attempt, "training", evaluation)
    np.testing.assert_array_equal(measured.values, np.float32([NAN, 4, 4]))
    np.testing.assert_allclose(measured.errors, [NAN, NAN, np.sqrt(8) / np.sqrt(2)])


def test_a_test_is_another_evaluation():
    evaluation = Evaluation(np.zeros((1, 2)), np.zeros((1, 2), np.int64), np.array([[1.0, 5.0]]))
    measured = measure(None, "test", evaluation)
    assert measured.values.tolist() == [3] and measured.errors[0] == pytest.approx(2)


class TestRuns:
    def test_training_episodes(self, small_spec, train_here, tmp_path):
        """Fitness is the mean of two training episodes of 20 steps; what is reported are evaluations."""
        plain = frames_of(train_here(cartpole(small_spec), "plain"), "evaluation/return")
        spec = cartpole(small_spec)
        spec["population"]["method"]["fitness"] = {"of": "training"}
        events = train_here(spec)
        fitness, reported = (frames_of(events, f"evaluation/{name}") for name in ("fitness", "return"))
        kept = last_arrays(tmp_path / "run")["episodes/kept"]
        assert kept.shape == (4, 2)
        np.testing.assert_allclose(fitness[400], kept.mean(axis=1), rtol=1e-6)
        assert reported[100] == plain[100] and fitness[100] != reported[100]

    def test_resumed_exactly(self, small_spec, train_here):
        spec = cartpole(small_spec)
        spec["population"]["method"]["fitness"] = {"name": "mean", "of": "training", "window": 2}
        whole = train_here(spec, "whole")
        with pytest.raises(Killed):
            train_here(spec, "parts", commands=KilledAfter(13))
        assert reproducible(train_here(spec, "parts")) == reproducible(whole)

    @pytest.mark.parametrize(("higher", "sign"), [(True, 1), (False, -1)])
    def test_a_metric_of_evaluations(self, small_spec, train_here, higher: bool, sign: int):
        source = {"metric": "evaluation/length", "higher": higher}
        spec = cartpole(small_spec)
        spec["population"]["method"]["fitness"] = {"of": source}
        events = train_here(spec)
        fitness, lengths = (frames_of(events, f"evaluation/{name}") for name in ("fitness", "length"))
        assert {step: [sign * length for length in values] for step, values in lengths.items()} == fitness
        for event in events:
            if isinstance(event, Lineage) and event.step:
                assert all(span.parent_fitness >= span.fitness for span in event.spans)

    def test_a_metric_of_updates(self, small_spec, train_here):
        small_spec["evaluation"]["final"] = 0
        small_spec |= {"version": 2}
        small_spec["replay"]["warmup"] = 100
        small_spec["population"]["method"]["fitness"] = {"of": {"metric": "training/q_value"}}
        events = train_here(small_spec)
        fitness = frames_of(events, "evaluation/fitness")
        assert np.isnan(fitness[100]).all() and np.isfinite(fitness[200]).all()
        assert [event.step for event in events if isinstance(event, Lineage)] == [0, 200, 300], "nobody can be chosen"

    def test_a_metric_that_there_is_not(self, small_spec, train_here):
        small_spec["evaluation"]["final"] = 0
        small_spec |= {"version": 2}
        small_spec["population"]["method"]["fitness"] = {"of": {"metric": "training/happiness"}}
        failed = train_here(small_spec)[-1]
        assert isinstance(failed, Failed)
        assert "training/happiness" in failed.message and "training/q_value" in failed.remedy


def cartpole(small_spec: dict[str, Any]) -> dict[str, Any]:
    """Episodes of about 20 steps, so that there are several in every interval."""
    kept = ("name", "kind", "replay", "budget", "metrics", "checkpoint")
    return {
        **{key: small_spec[key] for key in kept},
        "version": 2,
        "evaluation": small_spec["evaluation"] | {"final": 0},
        "environment": {"suite": "gymnasium", "id": "CartPole-v1"},
        "algorithm": {
            "name": "dqn",
            "batch_size": 16,
            "network": {"hidden": [16]},
            "learning_rate": {"log_uniform": [1e-4, 1e-2]},
        },
        "population": {"size": 4, "method": {"name": "pbt", "interval": 100}},
        "execution": {"strategy": "vectorized", "segment_steps": 20},
    }
