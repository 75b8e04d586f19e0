"""A check of an environment through the whole platform: a real worker, whose operator allowed a module, tries it."""

import json

import pytest
from typer.testing import CliRunner

from phylon.cli.app import app
from phylon.errors import ApiError

MODULE = """
import os
import sys

import gymnasium
import numpy as np


class Room(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, seeded=True, render_mode=None):
        self.seeded = seeded

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._look(), {}

    def step(self, action):
        self.steps += 1
        return self._look(), 1.0, False, self.steps >= 10, {}

    def _look(self):
        print("what it prints harms nobody", "x" * 200)
        generator = self.np_random if self.seeded else np.random.default_rng()
        return generator.uniform(-1, 1, 2).astype(np.float32)


class Broken(Room):
    def step(self, action):
        print("about to break", file=sys.stderr, flush=True)
        os.abort()


gymnasium.register("Room-v0", Room)
gymnasium.register("Broken-v0", Broken)
"""


def test_a_worker_tries_what_it_was_allowed(run_platform, tmp_path):
    (tmp_path / "check_room.py").write_text(MODULE)
    with run_platform(worker_options=("--allow", "check_room"), with_worker=False) as platform:
        platform.environment["PYTHONPATH"] = str(tmp_path)
        platform.start_worker()
        asked = ["check-environment", "check_room:Room-v0", "--option", "seeded=false", "--on-worker", "--json"]
        answer = CliRunner().invoke(app, [*asked, "--url", platform.url])
        assert answer.exit_code == 1, answer.output
        report = json.loads(answer.stdout)
        wrong = {found["subject"]: found["remedy"] for found in report["findings"] if found["verdict"] == "wrong"}
        assert list(wrong) == ["determinism"] and "self.np_random" in wrong["determinism"]
        assert report["environment"]["options"] == {"seeded": False} and "ppo" in report["algorithms"]
        [stored] = platform.client.environment_checks("check_room:Room-v0")
        assert (stored.status, stored.verdict, stored.worker_name) == ("finished", "wrong", "first")

        broken = platform.client.check_environment("check_room:Broken-v0")
        found = platform.client.wait_for_environment_check(broken.id)
        assert (found.status, found.report) == ("failed", None)
        assert found.error is not None and "SIGABRT: about to break" in found.error
        assert "phylon check-environment check_room:Broken-v0" in (found.remedy or "")
        assert any("about to break" in line.text for line in platform.client.environment_check_logs(broken.id))
        platform.wait(lambda: len(platform.idle_workers()) == 1, "the worker, which is not to blame, to be idle again")

        with pytest.raises(ApiError, match="--allow nobody"):
            platform.client.check_environment("nobody:Room-v0")
