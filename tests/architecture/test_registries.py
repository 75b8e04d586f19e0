"""Nobody keeps a list of names: what algorithms, methods and suites are called stands in their own files alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from phylon.registry import algorithms, methods, suites

ROOT = Path(__file__).parents[2]
NAMES = {*algorithms(), *methods(), *suites()}
ORDINARY = {"replay", "independent", "toy", "probe", "schedule"}
"""Names that are also everyday words: they count only beside another name."""
OWN_FILES = (
    "phylon/spec/algorithms/*.py",
    "phylon/spec/methods/*.py",
    "phylon/spec/replay_method.py",
    "phylon/spec/schedule_method.py",
    "phylon/catalogue/bundled.py",
    "worker/environments/*.py",
    "worker/algorithms/*.py",
    "worker/population/**/*.py",
)
OTHER_MEANINGS = {
    ("phylon/cli/extras.py", "gymnasium"): "the library",
    ("worker/training/versions.py", "gymnasium"): "the library",
    ("phylon/lineage/schedule.py", "replay"): "writes a spec of that method",
    ("phylon/lineage/schedule.py", "schedule"): "writes a spec of that method",
    **{
        ("backend/controls/document.py", name): "writes specs of these methods"
        for name in ("schedule", "random_search")
    },
    **{("phylon/contract/controls.py", name): "a control, not a method" for name in ("schedule", "random_search")},
    ("phylon/spec/upgrade.py", "replay"): "what the method was called in version 1",
}


def python_files() -> Iterator[Path]:
    own = {path for pattern in OWN_FILES for path in ROOT.glob(pattern)}
    for folder in ("phylon", "backend", "worker"):
        for path in (ROOT / folder).rglob("*.py"):
            is_link = path.relative_to(ROOT).parts[:2] in {
                ("phylon", name) for name in ("backend", "worker", "migrations")
            }
            if path not in own and not is_link:
                yield path


def names_in_python(path: Path) -> Iterator[str]:
    """Names that are whole string literals, but for documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value in NAMES]
    for word in words:
        if word not in ORDINARY or len(set(words) - ORDINARY) > 0:
            yield word


def names_in_typescript(path: Path) -> Iterator[str]:
    words = re.findall(r"""["'`]([a-z0-9_]+)["'`]""", path.read_text(encoding="utf-8"))
    found = [word for word in words if word in NAMES]
    return (word for word in found if word not in ORDINARY)


def typescript_files() -> Iterator[Path]:
    for path in (ROOT / "frontend" / "src").rglob("*.ts*"):
        parts = path.relative_to(ROOT).parts
        if "generated" not in parts and "testing" not in parts and ".test." not in path.name:
            yield path


def test_no_list_of_names_in_python():
    found = {
        (str(path.relative_to(ROOT)), name)
        for path in python_files()
        for name in names_in_python(path)
        if (str(path.relative_to(ROOT)), name) not in OTHER_MEANINGS
    }
    assert not found, f"ask the registry instead of a name: {sorted(found)}"


def test_no_list_of_names_in_typescript():
    found = {(str(path.relative_to(ROOT)), name) for path in typescript_files() for name in names_in_typescript(path)}
    assert not found, f"ask /api/v1/algorithms, /methods or /suites instead: {sorted(found)}"


@pytest.mark.parametrize("text", ['NAMES = ("td3", "sac")', 'if x == "cem_rl": pass', 'a = {"gymnasium": 1, "toy": 2}'])
def test_a_list_would_be_found(tmp_path: Path, text: str):
    (tmp_path / "x.py").write_text(text)
    (tmp_path / "x.ts").write_text(text)
    assert list(names_in_python(tmp_path / "x.py"))
    assert list(names_in_typescript(tmp_path / "x.ts"))


@pytest.mark.parametrize("name", [*algorithms(), *methods(), *suites()])
def test_every_engine_that_a_description_names_exists(name: str):
    """Without importing it: the module's file is there, and defines the attribute."""
    for registry in (algorithms(), methods(), suites()):
        description = registry.get(name)
        places = [getattr(description, field, None) for field in ("engine", "adapter")]
        for part in ("joint", "shared_critic"):
            places.append(getattr(getattr(description, part, None), "engine", None))
        places.append(getattr(getattr(description, "study", None), "twin", None))
        for place in filter(None, places):
            module, _, attribute = place.partition(":")
            path = ROOT / Path(*module.split(".")).with_suffix(".py")
            assert path.exists(), place
            tree = ast.parse(path.read_text(encoding="utf-8"))
            defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
            assert not attribute or attribute in defined, place
