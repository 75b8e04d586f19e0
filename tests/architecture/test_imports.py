"""What a process really loads, seen in a fresh one. Who may import whom is checked by `make lint`."""

import ast
import json
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


def test_parts_are_imported_by_their_installed_names():
    """`import backend` would work in a checkout whose folder happens to be on the path, and nowhere else."""
    parts = {"backend", "worker", "migrations", "frontend"}
    folders = ("phylon", "backend", "worker", "migrations", "benchmarks", "tests")
    found = {
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for folder in folders
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if (isinstance(node, ast.Import) and parts & {alias.name.partition(".")[0] for alias in node.names})
        or (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in parts)
    }
    assert found == set()


@pytest.mark.parametrize("part", ["backend", "worker", "migrations"])
def test_parts_lie_below_the_package_by_a_link(part: str):
    assert (ROOT / "phylon" / part).is_symlink() and (ROOT / "phylon" / part).resolve() == ROOT / part


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
        ("import phylon.doctor", ENGINE | WEB | {"phylon.backend", "phylon.worker"}),
        (
            "from phylon.cli.app import GROUPS, load; [load(name) for group in GROUPS.values() for name in group]",
            ENGINE | WEB | {"phylon.backend", "phylon.worker"},
        ),
        ("import phylon.cli.app", {"pydantic", "phylon.spec", "phylon.contract", "importlib.metadata"}),
        ("import phylon.cli.training", {"httpx", "numpy"}),
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
