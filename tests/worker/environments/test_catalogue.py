"""The catalogue is data that the API and the form trust: it must say what the installed suites say."""

import json
import warnings

import jax
import pytest

from phylon import catalogue
from phylon.catalogue import EnvironmentEntry, box, catalogue_file, discrete, find
from phylon.registry import suites
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import describe, find_entry, suite_ids

SAMPLE_STEP = 40
"""Every fortieth environment of a suite is really looked up, and the first of each family."""

GENERATE = "run `python -m phylon.worker.environments.catalogue` and commit what it writes"


def written(suite) -> dict[str, EnvironmentEntry]:
    return {entry.id: entry for entry in catalogue.search(suite)}


def sample(entries: dict[str, EnvironmentEntry]) -> list[str]:
    first_of_family = {entry.family: id for id, entry in reversed(entries.items())}
    return sorted({*list(entries)[::SAMPLE_STEP], *first_of_family.values()})


@pytest.mark.parametrize("suite", suites())
def test_every_id_of_the_suite_is_there_or_cannot_be_made(suite):
    installed = suite_ids(suite)
    assert set(written(suite)) <= set(installed), GENERATE
    with warnings.catch_warnings(action="ignore"):  # many ids are there for comparison with older work
        for id in sorted(set(installed) - set(written(suite))):
            with pytest.raises(EnvironmentUnavailable):
                find_entry(suite, id)


@pytest.mark.parametrize("suite", suites())
def test_a_sample_is_as_the_suite_says(suite):
    entries = written(suite)
    with warnings.catch_warnings(action="ignore"), jax.numpy_rank_promotion("allow"):  # not every library is strict
        for id in sample(entries):
            assert entries[id] == find_entry(suite, id), GENERATE


@pytest.mark.parametrize("suite", suites())
def test_the_file_is_in_the_order_of_ids(suite):
    ids = list(written(suite))
    assert ids == sorted(ids)
    assert (
        catalogue_file(suites()[suite]).read_text(encoding="utf-8").count("\n") == len(ids) + 2
    )  # one per line, and the brackets


@pytest.mark.parametrize(
    ("suite", "id"),
    [("gymnasium", "Ant-v5"), ("gymnasium", "CartPole-v1"), ("envpool", "Pong-v5"), ("probe", "DelayedReward-v0")],
)
def test_the_catalogue_agrees_with_what_the_engine_gets(suite, id):
    entry, info = find(suite, id), describe(suite, id)
    assert entry is not None
    assert entry.observation.shape == info.observation_shape
    assert (entry.action.n or entry.action.shape[0]) == info.action_size
    assert (entry.action.kind == "discrete") == info.is_discrete
    assert (entry.observation.dtype == "uint8") == (info.observation_dtype == "uint8")
    assert entry.max_episode_steps == info.max_episode_steps


def test_an_environment_without_its_package_is_left_out():
    assert find("gymnasium", "HalfCheetah-v2") is None
    assert find("gymnasium", "phys2d/Pendulum-v0") is None
    assert find("envpool", "VizdoomCustom-v1") is None


@pytest.mark.parametrize("space", [box((84, 84, 4), "uint8"), box((), "float32"), discrete(6), catalogue.OTHER])
def test_a_line_says_all(space):
    entry = EnvironmentEntry(
        suite="gymnasium", id='Odd "name"', family="odd", observation=space, action=space, max_episode_steps=None
    )
    assert EnvironmentEntry.from_row("gymnasium", json.loads(entry.to_line())) == entry


def test_search_finds_families():
    assert {entry.id for entry in catalogue.search("envpool", "Atari")} >= {"Pong-v5", "Breakout-v5"}
    assert all(entry.family == "procgen" for entry in catalogue.search(None, "bigfish"))
