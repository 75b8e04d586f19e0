"""Each package that we import is declared, in the set that is installed where the import happens."""

import ast
import contextlib
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEVELOPERS = {"dev"}
COMES_WITH = {"pydantic-core": "pydantic", "starlette": "fastapi", "kombu": "celery"}
"""Parts of a declared package that it pins, and that its own documentation imports."""
OURS_AND_PYTHONS = sys.stdlib_module_names | {"phylon"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", name)[0]).lower()


def declared(extras: set[str]) -> set[str]:
    """With what the extras include of each other."""
    entries = list(PROJECT["dependencies"])
    for extra in extras:
        entries += PROJECT["optional-dependencies"][extra]
    included = {name for entry in entries for name in re.findall(r"^phylon\[(\w+)\]", entry)} - extras
    return declared(extras | included) if included else {canonical(entry) for entry in entries} - {"phylon"}


def imports(file: Path) -> Iterator[tuple[str, bool]]:
    """The top-level names that a file imports, and whether that happens as soon as it is loaded."""
    tree = ast.parse(file.read_text())
    at_once = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0], id(node) in at_once
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], id(node) in at_once


@pytest.mark.parametrize(
    ("folder", "extras"),
    [
        ("phylon", set()),
        ("phylon/figures", {"worker"}),
        ("backend", {"server"}),
        ("migrations", {"server"}),
        ("worker", {"worker", "suites", "playground", "brax", "torch"}),
    ],
)
def test_what_is_imported_is_declared(folder: str, extras: set[str]) -> None:
    """What a function imports when it is called may belong to any extra: it is for those who installed that."""
    distributions = packages_distributions()
    here = declared(extras)
    everywhere = declared(set(PROJECT["optional-dependencies"]) - DEVELOPERS)

    def is_declared(name: str, at_once: bool) -> bool:
        owners = {canonical(owner) for owner in distributions.get(name, [name])}
        owners |= {COMES_WITH[owner] for owner in owners & COMES_WITH.keys()}
        return bool(owners & (here if at_once else everywhere))

    files = [file for file in (ROOT / folder).rglob("*.py") if folder != "phylon" or "figures" not in file.parts]
    found = {(file, *used) for file in files for used in imports(file) if used[0] not in OURS_AND_PYTHONS}
    assert found, f"this test no longer finds the imports of {folder}"
    assert {f"{file.relative_to(ROOT)}: {name}" for file, name, at_once in found if not is_declared(name, at_once)} == (
        set()
    )


@pytest.mark.parametrize("extra", sorted(set(PROJECT["optional-dependencies"]) - DEVELOPERS))
def test_an_extra_holds_no_developers_tools(extra: str) -> None:
    tools = declared(DEVELOPERS) - declared({"export"})
    assert declared({extra}) & tools == set()


def test_everything_that_is_installed_is_locked() -> None:
    """Else two installations differ. `make lock` writes the file."""
    locked = {canonical(line) for line in (ROOT / "requirements.lock").read_text().split()}
    extras = set(PROJECT["optional-dependencies"]) - {"cuda"}  # whose plug-ins are for machines with a GPU alone
    waiting = [Requirement(f"phylon[{','.join(sorted(extras))}]")]
    needed: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        wanted = (canonical(requirement.name), frozenset(requirement.extras))
        if wanted in needed:
            continue
        needed.add(wanted)
        with contextlib.suppress(PackageNotFoundError):  # then only its own name can be checked
            for entry in map(Requirement, requires(requirement.name) or ()):
                contexts = [{"extra": extra} for extra in requirement.extras] or [{"extra": ""}]
                if entry.marker is None or any(entry.marker.evaluate(context) for context in contexts):
                    waiting.append(entry)
    assert {name for name, _ in needed} - locked - {"phylon", "setuptools", "pip"} == set()
