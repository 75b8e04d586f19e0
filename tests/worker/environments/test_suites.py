"""What holds for every suite, and for those that are not installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from phylon.registry import suites
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import describe, make_environments

REPOSITORY = Path(__file__).resolve().parents[3]

WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        is_hidden = name == {package!r} or name.startswith({package!r} + ".")
        return None if is_hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):  # such as find_distributions, which entry points are found by
        return getattr(self.finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import describe, suite_ids
assert suite_ids("probe")
try:
    describe({suite!r}, {id!r})
except EnvironmentUnavailable as error:
    print(error)
"""
"""Asks for an environment where a package cannot be found."""


@pytest.mark.parametrize(
    ("suite", "package", "id", "problem", "remedy"),
    [
        ("gymnasium", "gymnasium", "Pendulum-v1", "needs the package 'gymnasium'", "pip install 'phylon[worker]'"),
        ("envpool", "envpool", "Pong-v5", "needs the package 'envpool'", "pip install 'phylon[suites]'"),
        ("gymnax", "gymnax", "CartPole-v1", "needs the package 'gymnax'", "pip install 'phylon[suites]'"),
        ("mjx", "mujoco.mjx", "Hopper-v5", "needs the package 'mujoco.mjx'", "pip install 'phylon[suites]'"),
        (
            "playground",
            "mujoco_playground",
            "HopperHop",
            "needs the package 'mujoco_playground'",
            "'phylon[playground]'",
        ),
        ("brax", "brax", "hopper", "needs the package 'brax'", "'phylon[brax]'"),
        ("envpool", "PyQt5", "BigfishEasy-v0", "cannot make 'BigfishEasy-v0'", "`pip install PyQt5-Qt5`"),
    ],
)
def test_a_missing_package_is_named_with_the_remedy(suite, package, id, problem, remedy):
    script = WITHOUT.format(suite=suite, package=package, id=id)
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY, env=os.environ, check=False
    )
    assert problem in answer.stdout and remedy in answer.stdout, answer.stdout + answer.stderr


def test_an_unknown_suite_is_named():
    with pytest.raises(EnvironmentUnavailable, match="unknown environment suite 'atari'; use one of brax, envpool"):
        describe("atari", "Pong")


@pytest.mark.parametrize("suite", suites())
def test_an_unknown_id_is_named(suite):
    with pytest.raises(EnvironmentUnavailable, match="'Nothing-v0'"):
        make_environments(EnvironmentSpec(suite=suite, id="Nothing-v0"), 1)
