"""Transitions and episode accounts of a population on environments whose rewards are known."""

import numpy as np
import pytest

from phylon.spec.experiment import EnvironmentSpec
from phylon.worker.environments import make_environments
from phylon.worker.training.collect import FixedActions, HostCollector, flatten_time
from phylon.worker.training.stopwatch import Stopwatch

SIZE, ENVS = 3, 2


def collector_on(id, suite="probe", seed=0):
    environments = make_environments(EnvironmentSpec(suite=suite, id=id), SIZE * ENVS)
    collector = HostCollector(environments, SIZE, seed)
    collector.restart(0)
    return collector


def by_slot(calls):
    """Slot i does i / 10, so that a mix-up of members shows."""
    return FixedActions(np.broadcast_to(np.arange(SIZE, dtype=np.float32)[:, None, None] / 10, (calls, SIZE, ENVS, 1)))


def test_transitions_are_in_the_order_of_time():
    collected = flatten_time(collector_on("DelayedReward-v0").collect(by_slot(4), Stopwatch()))
    assert collected.obs.shape == (SIZE, 4 * ENVS, 1)
    for field, expected in [
        (collected.obs[0, :, 0], [0, 0, 1, 1, 0, 0, 1, 1]),
        (collected.next_obs[0, :, 0], [1] * 8),
        (collected.reward[0], [0, 0, 1, 1, 0, 0, 1, 1]),
        (collected.terminated[0], [0, 0, 1, 1, 0, 0, 1, 1]),
    ]:
        np.testing.assert_array_equal(field, expected)
    np.testing.assert_array_equal(collected.action[:, 0, 0], np.array([0, 0.1, 0.2], np.float32))


def test_a_truncated_step_is_not_terminated():
    collected, truncated = collector_on("Truncation-v0").collect(by_slot(20), Stopwatch())
    np.testing.assert_array_equal(collected.terminated, (collected.obs[..., 0] > 0).astype(np.float32))
    np.testing.assert_array_equal(truncated, 1 - collected.terminated)
    assert 0 < collected.terminated.mean() < 1


def test_returns_are_means_over_the_episodes_since_the_last_look():
    collector = collector_on("ActionReward-v0")
    assert np.isnan(collector.episodes.returns()).all()
    collected = flatten_time(collector.collect(by_slot(10), Stopwatch()))
    np.testing.assert_allclose(collector.episodes.returns(), collected.reward.mean(axis=1), rtol=1e-6)
    latest = collector.episodes.returns()
    np.testing.assert_array_equal(latest, collector.episodes.returns())  # no new episode: what it was


def test_a_return_is_the_sum_over_the_episode():
    collector = collector_on("DelayedReward-v0")
    collector.collect(by_slot(3), Stopwatch())
    np.testing.assert_array_equal(collector.episodes.returns(), np.ones(SIZE))


def test_a_restart_cuts_episodes_without_counting_them():
    collector = collector_on("DelayedReward-v0")
    collector.collect(by_slot(1), Stopwatch())
    collector.restart(5)
    collector.collect(by_slot(1), Stopwatch())
    assert np.isnan(collector.episodes.returns()).all()


def test_accounts_come_back():
    collector, other = collector_on("ActionReward-v0"), collector_on("ActionReward-v0")
    collector.collect(by_slot(7), Stopwatch())
    other.episodes.from_arrays(collector.episodes.to_arrays())
    np.testing.assert_array_equal(other.episodes.returns(), collector.episodes.returns())


@pytest.mark.parametrize(
    ("first", "second", "same"), [((0, 4), (0, 4), True), ((0, 4), (0, 5), False), ((0, 4), (1, 4), False)]
)
def test_environments_follow_from_seed_and_checkpoint(first, second, same):
    starts = []
    for seed, checkpoint in (first, second):
        collector = collector_on("Pendulum-v1", "gymnasium", seed)
        collector.collect(by_slot(3), Stopwatch())
        collector.restart(checkpoint)
        starts.append(collector.collect(by_slot(1), Stopwatch()).transitions.obs)
    assert np.array_equal(*starts) == same
    assert len(np.unique(starts[0].reshape(-1, 3), axis=0)) == SIZE * ENVS  # each environment has its own seed
