"""The example plug-in package, installed and used as anyone's would be: nothing in Phylon knows its names."""

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "phylon-example"
NAMES = {"algorithms": "reinforce", "methods": "copy_best", "suites": "levers"}
SECONDS = 300
"""Only ends a test that hangs."""

Run = Callable[..., subprocess.CompletedProcess[str]]


def run_python(python: Path | str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), *arguments], capture_output=True, text=True, timeout=SECONDS, cwd=cwd, check=False
    )


@pytest.fixture(scope="module")
def with_plugin(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Python of a throw-away environment that sees the packages of this one, and the example."""
    folder = tmp_path_factory.mktemp("plugin")
    venv, python = folder / "venv", folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=SECONDS)
    packages = next(venv.glob("lib/python*/site-packages"))
    ours = sysconfig.get_paths()["purelib"]
    (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    source = shutil.copytree(EXAMPLE, folder / "source")  # building writes into it
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", str(source)]
    done = run_python(sys.executable, "-m", "pip", "--python", str(python), *install)
    assert done.returncode == 0, done.stderr
    return lambda *arguments, cwd=None: run_python(python, *arguments, cwd=cwd)


def test_it_is_validated_and_forecast(with_plugin: Run):
    done = with_plugin("-m", "phylon", "validate", str(EXAMPLE / "levers.yaml"))
    assert done.returncode == 0, done.stderr
    assert "copy_best tunes learning_rate" in done.stdout and "memory" in done.stdout


def test_its_own_limits_are_checked(with_plugin: Run):
    """By what its description says, as for our own."""
    wrong = ("--set", "environment.suite=gymnasium", "--set", "environment.id=Pendulum-v1")
    done = with_plugin("-m", "phylon", "validate", str(EXAMPLE / "levers.yaml"), *wrong)
    assert done.returncode == 2
    assert "reinforce needs discrete actions" in done.stdout + done.stderr


def test_it_trains_and_learns(with_plugin: Run, tmp_path: Path):
    arguments = ("train", str(EXAMPLE / "levers.yaml"), "--out", str(tmp_path / "out"))
    done = with_plugin("-m", "phylon", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (spool,) = (tmp_path / "out").rglob("events.jsonl")
    events = [json.loads(line) for line in spool.read_text().splitlines()]
    assert events[-1]["kind"] == "finished"
    assert any(span["operator"] == "perturb" for event in events for span in event.get("spans", []))
    frames = [event["frames"] for event in events if event["kind"] == "metrics"]
    returns = [max(frame["training/return"]) for frame in frames if "training/return" in frame]
    assert returns[-1] > 0.9 > 0.6 > returns[0], "a policy that knows nothing gets 0.2"


def test_the_api_that_feeds_the_form_offers_it(with_plugin: Run, tmp_path: Path):
    script = f"""
import json
from starlette.testclient import TestClient
from fastapi import FastAPI
from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.dependencies import get_viewer
from phylon.backend.routes import router
app = FastAPI()
app.dependency_overrides[get_viewer] = lambda: LOCAL_VIEWER
app.include_router(router)
client = TestClient(app)
print(json.dumps({{part: client.get(f"/api/v1/{{part}}").json()["items"] for part in {list(NAMES)}}}))
"""
    done = with_plugin("-W", "ignore", "-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    offered = json.loads(done.stdout)
    found = {part: next(item for item in offered[part] if item["name"] == name) for part, name in NAMES.items()}
    assert found["algorithms"]["title"] == "REINFORCE"
    numbers = {number["name"]: number for number in found["algorithms"]["hyperparameters"]}
    assert numbers["learning_rate"]["search"] == {"log_uniform": [0.1, 10.0]}
    assert numbers["discount"]["scale"] == "complement"
    assert found["methods"]["tuning"] == "required" and "reinforce" in found["methods"]["algorithms"]
    assert found["suites"]["environments"] == 2


def test_the_tables_of_the_documentation_have_it(with_plugin: Run, tmp_path: Path):
    done = with_plugin("-m", "phylon.registry.listing", cwd=tmp_path)
    assert all(f"| `{name}` |" in done.stdout for name in NAMES.values()), done.stdout


def test_a_worker_reports_what_it_has(with_plugin: Run, tmp_path: Path):
    script = (
        "from phylon.worker.supervisor.device import describe_worker;"
        "print(describe_worker('w', 'cpu').model_dump_json())"
    )
    there = json.loads(with_plugin("-c", script, cwd=tmp_path).stdout)
    here = json.loads(run_python(sys.executable, "-c", script).stdout)
    for part, name in NAMES.items():
        assert name in there[part] and name not in here[part]


def test_where_it_is_missing_the_spec_is_refused_with_the_remedy():
    done = run_python(sys.executable, "-m", "phylon", "validate", str(EXAMPLE / "levers.yaml"))
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 2
    for kind, name in (("algorithm", "reinforce"), ("method", "copy_best"), ("suite", "levers")):
        assert f"unknown {kind} '{name}'" in said
    assert "install the plug-in package that has it" in said


@pytest.mark.parametrize("module", ["reinforce", "copy_best", "levers", "reinforce_engine", "copy_best_engine"])
def test_its_modules_can_be_imported_first(with_plugin: Run, module: str):
    """The registries import the descriptions, which import Phylon: whichever comes first, it works."""
    done = with_plugin("-c", f"import phylon_example.{module}; from phylon.registry import broken; assert not broken()")
    assert done.returncode == 0, done.stderr
