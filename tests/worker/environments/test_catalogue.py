"""The catalogue is data that the API and the form trust: it must say what the installed suites say."""

import pytest

from phylon.catalogue import find
from worker.environments import SUITES, describe
from worker.environments.catalogue import catalogue_file, render


@pytest.mark.parametrize("suite", SUITES)
def test_the_file_is_what_the_installed_suite_says(suite):
    written = catalogue_file(suite).read_text(encoding="utf-8")
    assert written == render(suite), "run `python -m worker.environments.catalogue` and commit what it writes"


@pytest.mark.parametrize(
    ("suite", "id"), [("gymnasium", "Pendulum-v1"), ("gymnasium", "Ant-v5"), ("probe", "DelayedReward-v0")]
)
def test_the_catalogue_agrees_with_the_environment(suite, id):
    entry, info = find(suite, id), describe(suite, id)
    assert entry is not None
    assert entry.observation.shape == info.observation_shape
    assert entry.action.shape == (info.action_size,)
    assert entry.max_episode_steps == info.max_episode_steps


def test_an_environment_without_its_package_is_left_out():
    assert find("gymnasium", "HalfCheetah-v2") is None
    assert find("gymnasium", "phys2d/Pendulum-v0") is None
