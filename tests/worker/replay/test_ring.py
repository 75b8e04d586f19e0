import numpy as np
import pytest

from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.replay import Replay

INFO = EnvironmentInfo(observation_shape=(2,), action_size=1, max_episode_steps=None)
MEMBERS = 3


def transitions(start, count, members=MEMBERS):
    """Every number encodes the member (thousands) and the transition (the rest) that it belongs to."""
    label = 1000 * np.arange(members, dtype=np.float32)[:, None] + np.arange(start, start + count, dtype=np.float32)
    return Transition(
        obs=np.stack([label, label + 0.25], axis=-1),
        action=label[..., None],
        reward=label,
        terminated=(label % 2),
        next_obs=np.stack([label + 1, label + 1.25], axis=-1),
    )


def filled(count, capacity=10, members=MEMBERS, at_a_time=1):
    replay = Replay(members, capacity, INFO)
    for start in range(0, count, at_a_time):
        replay.add(transitions(start, at_a_time, members))
    return replay


def held(replay, member=0):
    """Which transitions a member holds, as seen by drawing many."""
    return sorted(set(replay.sample(0, 0, 50, 50).reward[member].ravel().tolist()))


def test_layout_is_member_update_batch():
    batch = filled(8).sample(0, 0, updates=4, batch_size=5)
    assert batch.obs.shape == batch.next_obs.shape == (MEMBERS, 4, 5, 2)
    assert batch.action.shape == (MEMBERS, 4, 5, 1)
    assert batch.reward.shape == batch.terminated.shape == (MEMBERS, 4, 5)
    assert all(field.dtype == np.float32 for field in batch)


def test_fields_of_a_transition_stay_together():
    batch = filled(8).sample(0, 0, 20, 20)
    label = batch.reward
    np.testing.assert_array_equal(batch.obs, np.stack([label, label + 0.25], axis=-1))
    np.testing.assert_array_equal(batch.action, label[..., None])
    np.testing.assert_array_equal(batch.terminated, label % 2)
    np.testing.assert_array_equal(batch.next_obs, np.stack([label + 1, label + 1.25], axis=-1))


def test_members_draw_from_their_own_ring_and_independently():
    reward = filled(8).sample(0, 0, 4, 50).reward
    assert [set((reward[member] // 1000).ravel()) for member in range(MEMBERS)] == [{0}, {1}, {2}]
    indices = reward % 1000
    assert not np.array_equal(indices[0], indices[1])
    assert not np.array_equal(indices[1], indices[2])


def test_only_what_was_added_is_drawn():
    assert held(filled(4)) == [0, 1, 2, 3]


@pytest.mark.parametrize("at_a_time", [1, 3])
def test_the_oldest_make_room(at_a_time):
    replay = filled(24, at_a_time=at_a_time)
    assert replay.size == 10
    assert held(replay) == list(range(14, 24))
    assert held(replay, member=2) == list(range(2014, 2024))


def test_adding_more_than_fits_keeps_the_newest():
    assert held(filled(25, at_a_time=25)) == list(range(15, 25))


def test_draws_are_uniform():
    reward = filled(10).sample(0, 0, 100, 1000).reward[0]
    counts = np.bincount(reward.astype(int).ravel(), minlength=10)
    assert counts.min() > 9_600  # 100,000 draws: 10,000 each, standard deviation 95
    assert counts.max() < 10_400


def test_the_same_seed_and_segment_give_the_same_draw():
    np.testing.assert_array_equal(filled(8).sample(5, 7, 4, 5).reward, filled(8).sample(5, 7, 4, 5).reward)


@pytest.mark.parametrize(("seed", "segment"), [(6, 7), (5, 8), (7, 5), (2**31 - 1, 2**40)])
def test_another_seed_or_segment_gives_another_draw(seed, segment):
    replay = filled(8)
    assert not np.array_equal(replay.sample(5, 7, 4, 50).reward, replay.sample(seed, segment, 4, 50).reward)


def test_a_members_draw_does_not_depend_on_the_population_size():
    few, many = filled(8, members=2), filled(8, members=6)
    np.testing.assert_array_equal(few.sample(0, 1, 4, 5).reward, many.sample(0, 1, 4, 5).reward[:2])


@pytest.mark.parametrize("count", [0, 4, 10, 24])
def test_a_restored_ring_goes_on_as_the_saved_one(count):
    saved = filled(count)
    restored = Replay(MEMBERS, 10, INFO)
    restored.from_arrays(saved.to_arrays())
    for replay in (saved, restored):
        replay.add(transitions(count, 3))
    assert restored.added == saved.added
    for left, right in zip(saved.sample(1, 2, 10, 10), restored.sample(1, 2, 10, 10), strict=True):
        np.testing.assert_array_equal(left, right)


def test_only_the_filled_part_is_saved_and_as_a_copy():
    replay = filled(4, capacity=1000)
    arrays = replay.to_arrays()
    assert arrays["obs"].shape == (MEMBERS, 4, 2)
    before = arrays["reward"].copy()
    for _ in range(1000):
        replay.add(transitions(500, 1))
    np.testing.assert_array_equal(arrays["reward"], before)


def test_the_counter_outlives_32_and_64_bits_of_float():
    replay = filled(10)
    arrays = replay.to_arrays() | {"added": np.array(2**63 + 14, np.uint64)}
    replay.from_arrays(arrays)
    assert replay.added == 2**63 + 14
    assert int(replay.to_arrays()["added"]) == 2**63 + 14
    replay.add(transitions(100, 1))
    assert 100 in held(replay)


def test_a_batch_already_drawn_is_not_overwritten():
    replay = filled(8)
    first = replay.sample(0, 0, 4, 5)
    before = first.reward.copy()
    replay.sample(0, 1, 4, 5)
    replay.add(transitions(500, 10))
    np.testing.assert_array_equal(first.reward, before)


def test_an_empty_replay_refuses_to_draw():
    with pytest.raises(ValueError, match="empty"):
        Replay(1, 10, INFO).sample(0, 0, 1, 1)


def test_arrays_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"'obs' has shape \(2, 4, 2\), not \(3, 4, 2\)"):
        Replay(MEMBERS, 10, INFO).from_arrays(filled(4, members=2).to_arrays())
