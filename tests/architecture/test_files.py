"""Rules about the files themselves: modules stay small, and nothing committed names a package registry."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_MODULE = 600
REGISTRY = re.compile(
    # The shapes of a registry's addresses and of the settings that name one; no host has to be listed here.
    r"https?://\S+(\.whl\b|\.tgz\b|\.tar\.gz\b|/simple\b)|"
    r"--(extra-)?index-url|--find-links|\"resolved\": \"http|^\s*registry\s*=",
    re.MULTILINE,
)


def committed_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def modules() -> list[Path]:
    return [
        path
        for package in ("phylon", "backend", "worker", "migrations", "benchmarks", "tests")
        for path in (ROOT / package).rglob("*.py")
    ]


def test_modules_stay_small():
    long = {str(path.relative_to(ROOT)): count for path in modules() if (count := len(path.read_text().splitlines()))}
    assert len(long) > 50, "this test no longer finds the modules"
    assert {name: count for name, count in long.items() if count > LONGEST_MODULE} == {}


@pytest.mark.parametrize("package", ["phylon", "backend", "worker"])
def test_every_module_says_what_it_is_for(package: str):
    silent = [
        str(path.relative_to(ROOT))
        for path in (ROOT / package).rglob("*.py")
        if path.read_text().strip() and not path.read_text().startswith(('"""', "r" + '"""'))
    ]
    assert silent == []


@pytest.mark.parametrize("name", ["utils.py", "helpers.py", "misc.py", "common.py"])
def test_no_module_is_named_after_nothing(name: str):
    assert [str(path) for path in modules() if path.name == name] == []


def test_no_committed_file_names_a_registry():
    """A lock that names a host cannot be installed from another; the person who installs chooses where from."""
    this_file = Path(__file__).resolve()
    found = {
        str(path.relative_to(ROOT)): match.group(0)
        for path in committed_files()
        if path.resolve() != this_file
        and path.suffix not in {".png", ".ico", ".woff2", ".npz"}
        and (match := REGISTRY.search(path.read_text(encoding="utf-8", errors="ignore")))
    }
    assert found == {}
