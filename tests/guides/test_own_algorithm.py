"""The guide docs/guides/own-algorithm.md, in an environment of its own that sees the packages of this one."""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.guides.guide import SECONDS, follow


@pytest.fixture
def python(tmp_path: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True, timeout=SECONDS)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (packages / "ours.pth").write_text(f"import site; site.addsitedir({sysconfig.get_paths()['purelib']!r})\n")
    return tmp_path / "venv" / "bin" / "python"


@pytest.mark.slow
def test_every_command_works(tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
    ]
    # `pip install .` without fetching what is there already
    programs = {"phylon": [python, "-m", "phylon"], "pip": ["sh", "-c", f"{' '.join(map(str, install))} ."]}
    outputs = follow("own-algorithm.md", folder, programs)
    assert "4 linear_a2c members" in outputs["phylon validate"]
    for command, words in (("train", r"final return \(95 %\)"), ("submit", "run 1 of pole finished; final return")):
        found = re.search(rf"{words} +([\d.]+)", outputs[f"phylon {command}"])
        assert found and float(found.group(1)) > 40, (
            f"members that learn nothing get 22: {outputs[f'phylon {command}']}"
        )
