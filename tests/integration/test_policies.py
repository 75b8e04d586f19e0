"""The guide docs/guides/tune-and-export.md as a newcomer follows it: train, export, act without the engine, play."""

import json
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BOUND_SECONDS = 600.0
"""Only ends a test that hangs."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/guides/tune-and-export.md").read_text(), re.DOTALL)


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that finds NumPy and our own code, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    installed = Path(np.__file__).parents[1]
    for path in installed.glob("numpy*"):
        (packages / path.name).symlink_to(path)
    return folder / "bin" / "python"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_command_of_the_guide_works(tmp_path: Path, bare_python: Path, compile_cache: Path) -> None:
    [spec], [script], consoles = blocks("yaml"), blocks("python"), blocks("console")
    (tmp_path / "pole.yaml").write_text(spec)
    (tmp_path / "act.py").write_text(script)
    train, export, other, play, elsewhere = (line for console in consoles for line in console.splitlines())

    def phylon(line: str) -> str:
        _, *arguments = shlex.split(line)
        cache = str(compile_cache)
        return run(
            sys.executable, "-m", "phylon", *arguments, folder=tmp_path, PHYLON_COMPILE_CACHE=cache, COLUMNS="200"
        )

    assert "policy.zip" in phylon(train)
    assert re.search(r"final return .* 20 unseen episodes", phylon(export))
    files = {path.name for path in (tmp_path / "balancer").iterdir()}
    assert files == {"policy.json", "weights.safetensors", "policy.onnx", "policy.stablehlo"}

    action, share, mean = run(bare_python, "act.py", folder=tmp_path).split()
    missing = run(bare_python, "-c", FIND_LIBRARIES, folder=tmp_path)
    assert missing.strip() == "[]", "the environment is not as bare as the test claims"
    card = json.loads((tmp_path / "balancer/policy.json").read_text())
    provenance = card["provenance"]
    assert action in "01" and 0 < float(share) < 1 and float(mean) == provenance["final"]["mean"]
    assert provenance["ancestry"][0]["operator"] == "founder"
    assert provenance["ancestry"][-1]["span"] == provenance["span"]

    # Made of the checkpoint, the winner is the one that the trainer wrote.
    said = phylon(other.replace("--member 0", f"--member {provenance['member']}"))
    assert "its actions are the trainer's" in said
    again = json.loads((tmp_path / "other/policy.json").read_text())
    assert again["weights"] == card["weights"] and again["network"] == card["network"]
    assert {**again["provenance"], "final": None} == {**provenance, "final": None}
    assert again["provenance"]["final"]["mean"] == pytest.approx(provenance["final"]["mean"], rel=1e-6)

    first, second, third = json.loads(phylon(f"{play} --json"))["policies"]
    assert first["episodes"] == 4 and first["low"] <= first["mean"] <= first["high"]
    # They are one policy, and play the same episodes.
    assert second["difference"] == third["difference"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    own = {"source": "", "difference": None}
    assert second | own == third | own == first | own
    (away,) = json.loads(phylon(f"{elsewhere} --json"))["policies"]
    assert away["mean"] > 100, "a pole that nobody balances falls after about 20 steps"


FIND_LIBRARIES = """
import importlib.util
print([name for name in ("jax", "torch", "gymnasium", "pydantic", "httpx") if importlib.util.find_spec(name)])
"""
