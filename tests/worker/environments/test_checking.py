"""`check-environment` finds what is wrong with an environment, and has nothing to say against a sound one."""

import re

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from phylon.catalogue import EnvironmentEntry
from phylon.worker.environments.checking.episodes import check_ends, check_seeds
from phylon.worker.environments.checking.returns import check_returns
from phylon.worker.environments.gymnasium_inline import InlineEnvironments
from phylon.worker.environments.gymnasium_spaces import describe_action, describe_observation
from phylon.worker.environments.spaces import info_of


class Sound(gymnasium.Env):
    observation_space = spaces.Dict({"place": spaces.Box(-1, 1, (2,), np.float32), "mark": spaces.Discrete(2)})
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.look(), {}

    def look(self):
        return {"place": self.np_random.uniform(-1, 1, 2).astype(np.float32), "mark": 1}

    def reward(self):
        return 1.0

    def step(self, action):
        self.steps += 1
        return self.look(), self.reward(), bool(self.np_random.random() < 0.1), self.steps >= 20, {}


class Outside(Sound):
    def look(self):
        return super().look() | {"place": np.full(2, 3.0, np.float32)}


class Unshaped(Sound):
    def look(self):
        return super().look() | {"place": np.zeros(3, np.float32)}


class Wide(Sound):
    def look(self):
        return super().look() | {"place": np.zeros(2, np.float64)}


class Keyless(Sound):
    def look(self):
        return {"place": super().look()["place"]}


class Unmarked(Sound):
    def look(self):
        return super().look() | {"mark": 2}


class Listed(Sound):
    def reward(self):
        return np.ones(1)


class Endless(Sound):
    def reward(self):
        return float("nan")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Outside, r"observation\['place'\] leaves its bounds, with values from 3 to 3"),
        (Unshaped, r"observation\['place'\] has the shape \(3,\), not \(2,\)"),
        (Wide, r"observation\['place'\] is of type float64, not float32"),
        (Keyless, r"observation has the keys \['place'\], not \['mark', 'place'\]"),
        (Unmarked, r"observation\['mark'\] is 2, which is not in Discrete\(2\)"),
        (Listed, r"the reward is an array of shape \(1,\)"),
        (Endless, "the reward is nan"),
    ],
)
def test_what_it_returns_wrongly_is_named_once_with_a_remedy(kind, words):
    (finding,) = check_returns(kind())
    assert finding.verdict == "wrong" and finding.remedy
    assert re.search(words, finding.message), finding.message


def pool_of(kind, limit=None):
    entry = EnvironmentEntry(
        suite="gymnasium",
        id="Test-v0",
        family="test",
        observation=describe_observation(Sound.observation_space),
        action=describe_action(Sound.action_space),
        max_episode_steps=limit,
    )
    return InlineEnvironments([kind(), kind()], info_of(entry))


def test_a_sound_environment_passes():
    assert [found.verdict for found in check_returns(Sound())] == ["ok"]
    assert [found.verdict for found in check_seeds(pool_of(Sound))] == ["ok"]
    (ends,) = check_ends(pool_of(Sound, 20))
    assert ends.verdict == "ok" and "truncated" in ends.message


class Unseeded(Sound):
    def look(self):
        return super().look() | {"place": np.random.default_rng().uniform(-1, 1, 2).astype(np.float32)}


def test_chance_that_no_seed_decides_is_found():
    (finding,) = check_seeds(pool_of(Unseeded))
    assert finding.verdict == "wrong" and "from step 0 on" in finding.message and "np_random" in finding.remedy


class Forever(Sound):
    def step(self, action):
        return self.look(), 0.0, False, False, {}


class Clock(Sound):
    def step(self, action):
        self.steps += 1
        return self.look(), 0.0, self.steps == 7, False, {}


def test_episodes_without_an_end_and_time_limits_that_terminate_are_found():
    (finding,) = check_ends(pool_of(Forever))
    assert finding.verdict == "wrong" and "time_limit" in finding.remedy
    (finding,) = check_ends(pool_of(Clock, limit=7))
    assert finding.verdict == "wrong" and "exactly 7 steps" in finding.message and "truncated" in finding.remedy
    (finding,) = check_ends(pool_of(Clock))
    assert finding.verdict == "slow"
