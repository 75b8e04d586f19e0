"""Composite observations become vectors and keep their mapping; what has no fixed size is refused."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from phylon.catalogue import OTHER
from phylon.policy.flattening import flatten_batch, flatten_one, is_batch
from phylon.worker.environments.gymnasium_inline import InlineEnvironments
from phylon.worker.environments.gymnasium_spaces import (
    describe_action,
    describe_native_actions,
    describe_observation,
    to_native,
)
from phylon.worker.environments.spaces import info_of

SPACE = spaces.Dict(
    {
        "inner": spaces.Tuple((spaces.Discrete(3, start=5), spaces.Box(-1, 1, (2, 2), np.float64))),
        "camera": spaces.Box(0, 255, (1, 2, 3), np.uint8),
        "flags": spaces.MultiBinary(2),
        "dials": spaces.MultiDiscrete([2, 3]),
    }
)
ONE = {
    "inner": (6, np.array([[0.1, 0.2], [0.3, 0.4]])),
    "camera": np.array([[[0, 51, 255], [102, 0, 0]]], np.uint8),
    "flags": np.array([1, 0], np.int8),
    "dials": np.array([1, 2]),
}
VECTOR = [*(0, 0.2, 1, 0.4, 0, 0), *(0, 1, 0, 0, 1), *(1, 0), *(0, 1, 0), *(0.1, 0.2, 0.3, 0.4)]
"""camera, dials, flags, inner: keys in order, choices one-hot."""


def test_parts_are_laid_end_to_end():
    space = describe_observation(SPACE)
    assert [part.path for part in space.parts] == [("camera",), ("dials",), ("flags",), ("inner", 0), ("inner", 1)]
    assert space.shape == (len(VECTOR),)
    vector = flatten_one(space.parts, ONE)
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, VECTOR, rtol=1e-6)
    assert space.has_images


def test_a_batch_is_its_observations_one_by_one():
    space = describe_observation(SPACE)
    SPACE.seed(0)
    observations = [SPACE.sample() for _ in range(4)]
    stacked = {name: np.stack([each[name] for each in observations]) for name in ("camera", "flags", "dials")}
    stacked["inner"] = tuple(np.stack([each["inner"][place] for each in observations]) for place in range(2))
    assert is_batch(space.parts, stacked) and not is_batch(space.parts, observations[0])
    expected = [flatten_one(space.parts, each) for each in observations]
    np.testing.assert_array_equal(flatten_batch(space.parts, stacked), expected)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"dials": np.array([0, 3])}, "one of 2 and of 3 was expected"),
        ({"flags": np.array([1, 0, 1])}, "flags: 2 zeros and ones was expected"),
        ({"inner": (4, ONE["inner"][1])}, "inner.0: one of 3 was expected"),
    ],
)
def test_what_does_not_fit_is_named(changed, words):
    with pytest.raises(ValueError, match=words):
        flatten_one(describe_observation(SPACE).parts, ONE | changed)
    with pytest.raises(ValueError, match="no part dials"):
        flatten_one(describe_observation(SPACE).parts, {name: ONE[name] for name in ("camera", "flags", "inner")})


def test_what_has_no_fixed_size_is_no_composite():
    assert describe_observation(spaces.Dict({"words": spaces.Sequence(spaces.Discrete(2))})) == OTHER
    assert describe_action(spaces.Box(-np.inf, np.inf, (2,))) == OTHER
    assert describe_action(spaces.Dict({"a": spaces.Discrete(2)})) == OTHER


def test_choices_go_to_the_environment_from_its_first_value_on():
    space = spaces.MultiDiscrete([2, 3], start=[10, -1])
    assert describe_action(space).counts == (2, 3)
    native = to_native(np.array([[0, 0], [1, 2]], np.int32), space)
    assert native.tolist() == [[10, -1], [11, 1]] and all(map(space.contains, native))
    assert describe_native_actions(space).starts == (10, -1)
    binary = spaces.MultiBinary((2, 2))
    assert describe_action(binary).counts == (2, 2, 2, 2)
    native = to_native(np.array([[0, 1, 1, 0]], np.int32), binary)
    assert native.tolist() == [[[0, 1], [1, 0]]] and binary.contains(native[0])


class Showing(gymnasium.Env):
    observation_space, action_space = SPACE, spaces.MultiDiscrete([2, 2])

    def reset(self, *, seed=None, options=None):
        return ONE, {}

    def step(self, action):
        return ONE | {"dials": np.asarray(action)}, float(action[1]), bool(action[0]), False, {}


def test_a_pool_shows_vectors_also_where_an_episode_ends():
    from phylon.catalogue import EnvironmentEntry

    entry = EnvironmentEntry(
        suite="gymnasium",
        id="Showing-v0",
        family="test",
        observation=describe_observation(SPACE),
        action=describe_action(Showing.action_space),
        max_episode_steps=None,
    )
    info = info_of(entry)
    assert (info.action_shape, info.action_dtype, info.action_size) == ((2,), "int32", 4)
    pool = InlineEnvironments([Showing(), Showing()], info)
    np.testing.assert_allclose(pool.reset(np.array([0, 1])), [VECTOR] * 2, rtol=1e-6)
    result = pool.step(np.array([[0, 1], [1, 0]], np.int32))
    assert result.reward.tolist() == [1, 0] and result.terminated.tolist() == [False, True]
    assert result.next_obs[:, 6:11].tolist() == [[1, 0, 0, 1, 0], [0, 1, 1, 0, 0]]
    assert result.obs[:, 6:11].tolist() == [[1, 0, 0, 1, 0], VECTOR[6:11]]
