"""The guide docs/guides/own-environment.md as a newcomer follows it: its files written, its commands typed."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "own-environment.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = 900
"""Only ends a test that hangs."""
PROGRAMS = {"phylon": [sys.executable, "-m", "phylon"], "python": [sys.executable]}


def test_every_command_works(tmp_path: Path) -> None:
    outputs: dict[str, str] = {}
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "COLUMNS": "200"}
    for kind, file, text in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        if file:
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text(text, encoding="utf-8")
            continue
        assert kind == "sh"
        for line in text.splitlines():
            program, *arguments = shlex.split(line)
            command = [*PROGRAMS[program], *arguments]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            outputs[" ".join([program, *arguments[:1]])] = done.stdout
    assert "algorithms that can learn here: ppo" in outputs["phylon check-environment"]
    assert "my_package:Reach-v0" in outputs["phylon play"]
    assert (tmp_path / "reach.mp4").stat().st_size > 1000
    card = json.loads((tmp_path / "reach-policy" / "policy.json").read_text(encoding="utf-8"))
    assert [part["path"] for part in card["observation"]["parts"]] == [["goal"], ["place"]]
    assert card["action"]["counts"] == [3, 2]
    assert card["spec"]["environment"]["spaces"]["max_episode_steps"] == 30
    found = re.fullmatch(r"action \[([012]), ([01])\]\n", outputs["python use.py"])
    assert found, outputs["python use.py"]
