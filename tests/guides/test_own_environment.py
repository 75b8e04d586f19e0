"""The guide docs/guides/own-environment.md."""

import json
import re
import sys
from pathlib import Path

from tests.guides.guide import follow


def test_every_command_works(tmp_path: Path) -> None:
    programs = {"phylon": [sys.executable, "-m", "phylon"], "python": [sys.executable]}
    outputs = follow("own-environment.md", tmp_path, programs)
    assert "algorithms that can learn here: ppo" in outputs["phylon check-environment"]
    assert "my_package:Reach-v0" in outputs["phylon play"]
    assert (tmp_path / "reach.mp4").stat().st_size > 1000
    card = json.loads((tmp_path / "reach-policy" / "policy.json").read_text(encoding="utf-8"))
    assert [part["path"] for part in card["observation"]["parts"]] == [["goal"], ["place"]]
    assert card["action"]["counts"] == [3, 2]
    assert card["spec"]["environment"]["spaces"]["max_episode_steps"] == 30
    found = re.fullmatch(r"action \[([012]), ([01])\]\n", outputs["python use.py"])
    assert found, outputs["python use.py"]
