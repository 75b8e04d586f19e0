"""Who may import whom, said by import-linter's contracts, and what a process really loads, seen in a fresh one."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = {"jax", "jaxlib", "flax", "optax", "gymnasium", "mujoco"}
WEB = {"fastapi", "starlette", "uvicorn", "sqlalchemy", "celery", "redis"}


def loaded_by(statement: str) -> set[str]:
    """What is loaded in a fresh interpreter after `statement`: top-level names, and the packages of phylon."""
    names = "{'.'.join(name.split('.')[: 2 if name.startswith('phylon.') else 1]) for name in sys.modules}"
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted({names})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_contracts_hold():
    linter = Path(sys.executable).with_name("lint-imports")
    assert linter.exists() or shutil.which("lint-imports"), "import-linter is not installed"
    done = subprocess.run([str(linter)], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import phylon.backend.app", ENGINE | {"phylon.worker", "worker"}),
        ("import phylon.worker.supervisor", ENGINE | {"phylon.backend", "backend", "sqlalchemy", "fastapi"}),
        (
            "import phylon.run_directory, phylon.study_folder, phylon.child_process",
            ENGINE | {"phylon.backend", "backend", "sqlalchemy"},
        ),
        (
            "import phylon.spec, phylon.contract.events, phylon.contract.protocol, phylon.client",
            ENGINE | WEB | {"phylon.backend", "phylon.worker"},
        ),
        ("import phylon.cli.app", ENGINE | WEB | {"phylon.backend", "phylon.worker"}),
        ("import phylon.contract.events", {"httpx", "typer", "rich", "numpy"}),
    ],
)
def test_a_process_loads_only_its_own(statement: str, forbidden: set[str]):
    assert loaded_by(statement) & forbidden == set()


def test_the_package_itself_loads_nothing():
    """`import phylon` must not cost a script or a trainer anything that it does not use."""
    assert loaded_by("import phylon") - loaded_by("import typing") == {"phylon"}


def test_every_public_name_exists():
    loaded_by("import phylon\nfor name in phylon.__all__: getattr(phylon, name)")
    with pytest.raises(AssertionError, match="no attribute 'Cleint'"):
        loaded_by("from phylon import __getattr__ as get; get('Cleint')")
