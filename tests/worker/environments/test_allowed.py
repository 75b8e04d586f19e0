"""Modules of people's own are imported where somebody allowed them, and nowhere else."""

import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from phylon.spec import SpecInvalid, parse_spec
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import describe, describe_environment
from phylon.worker.environments.allowed import VARIABLE, is_allowed
from phylon.worker.supervisor.environments import ALLOWED, ModuleUnusable, allow

MODULE = """
import gymnasium
from gymnasium.envs.classic_control import CartPoleEnv

gymnasium.register("Own/Pole-v0", entry_point=CartPoleEnv, max_episode_steps=30)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "own_poles.py").write_text(MODULE)
    (tmp_path / "own_broken.py").write_text("raise RuntimeError('no such sensor')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(VARIABLE, "")
    yield tmp_path
    sys.modules.pop("own_poles", None)
    gymnasium.registry.pop("Own/Pole-v0", None)  # else tests of the catalogue would find it


def test_a_package_allows_its_submodules_alone(monkeypatch):
    monkeypatch.setenv(VARIABLE, "robots, games.chess")
    assert [is_allowed(name) for name in ("robots", "robots.arm", "robotswar", "games", "games.chess")] == [
        *(True, True, False, False, True)
    ]


def test_what_nobody_allowed_is_not_imported(folder):
    with pytest.raises(EnvironmentUnavailable, match="phylon worker --allow own_poles"):
        describe("gymnasium", "own_poles:Own/Pole-v0")
    assert "own_poles" not in sys.modules


def test_a_worker_reports_what_its_modules_have(folder):
    (found,) = allow(["own_poles"])
    assert (found.id, found.max_episode_steps, found.observation.shape) == ("own_poles:Own/Pole-v0", 30, (4,))
    info = describe_environment(EnvironmentSpec(suite="gymnasium", id=found.id))
    assert (info.observation_shape, info.max_episode_steps) == ((4,), 30)
    with pytest.raises(ModuleUnusable, match=r"no such sensor.*install its package"):
        allow(["own_broken"])
    with pytest.raises(ModuleUnusable, match="no name of a module"):
        allow(["own_poles; import os"])
    assert ALLOWED == VARIABLE


@pytest.mark.parametrize("id", ["os;x:Env-v0", "../own:Env-v0", "a b:Env-v0", "own::Env-v0", "own:Env v0"])
def test_ids_that_name_no_module_are_refused(id):
    with pytest.raises(SpecInvalid, match="names no module"):
        parse_spec({"environment": {"suite": "gymnasium", "id": id}, "algorithm": "ppo", "budget": 1000})


def test_an_environment_that_is_not_as_its_spec_says_is_refused():
    entry = {"kind": "box", "shape": [5], "dtype": "float32", "n": None, "counts": [], "parts": []}
    spaces = {"observation": entry, "action": entry | {"shape": [1]}}
    with pytest.raises(EnvironmentUnavailable, match=r"shows 3 float32.*made for 5 float32"):
        describe_environment(EnvironmentSpec(suite="gymnasium", id="Pendulum-v1", spaces=spaces))
