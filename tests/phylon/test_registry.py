"""The registries: what is installed describes itself fully, and a broken plug-in harms nobody else."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from phylon.registry import algorithms, methods, suites
from phylon.registry.descriptions import AlgorithmDescription, SuiteDescription
from phylon.registry.entry_points import load_registry
from phylon.registry.listing import fill_in
from phylon.spec import bounds, parse_spec
from phylon.spec.algorithms import tunable_fields
from phylon.spec.distributions import NameChoice


class Distribution:
    def __init__(self, name: str) -> None:
        self.name = name


def point(name: str, value: str, distribution: str, group: str = "phylon.suites") -> EntryPoint:
    found = EntryPoint(name, value, group)
    vars(found).update(dist=Distribution(distribution))
    return found


OURS = point("probe", "phylon.catalogue.bundled:PROBE", "phylon")


@pytest.mark.parametrize("name", algorithms())
class TestAlgorithm:
    def test_recommended_search_space_is_legal_and_holds_the_defaults(self, name: str):
        description = algorithms()[name]
        assert description.search_space and description.search_source and description.defaults_source
        assert set(description.search_space) <= set(tunable_fields(description.spec))
        plain = {field: value.model_dump() for field, value in description.search_space.items()}
        default = description.spec.model_validate({"name": name})
        description.spec.model_validate({"name": name, **plain})  # refuses what is not legal
        for field, distribution in description.search_space.items():
            value = getattr(default, field)
            if isinstance(distribution, NameChoice):
                assert value in distribution.choice
            else:
                assert bounds(distribution).low <= value <= bounds(distribution).high, field
            assert field not in description.unread(default)

    def test_scales_are_of_its_own_numbers_and_have_a_meaning_there(self, name: str):
        description = algorithms()[name]
        assert set(description.scales) <= set(tunable_fields(description.spec))
        for field, distribution in description.search_space.items():
            if description.scale_of(field) != "linear" and not isinstance(distribution, NameChoice):
                low, high = bounds(distribution)
                assert low > 0 if description.scale_of(field) == "log" else high <= 1, field

    def test_every_method_that_can_train_it_has_a_search_space_for_it(self, name: str):
        for method in methods().values():
            space = method.search_space(algorithms()[name]) if method.can_train(algorithms()[name]) else {}
            assert bool(space) == (method.tuning != "optional" and method.can_train(algorithms()[name]))
            plain = {field: value.model_dump() for field, value in space.items()}
            algorithms()[name].spec.model_validate({"name": name, **plain})


def test_a_broken_plug_in_is_reported_and_left_out(caplog: pytest.LogCaptureFixture):
    found = load_registry(
        "phylon.suites",
        SuiteDescription,
        [
            point("lost", "nowhere_at_all:LOST", "phylon-lost"),
            point("odd", "phylon.catalogue.bundled:__doc__", "phylon-odd"),
            point("misnamed", "phylon.catalogue.bundled:TOY", "phylon-misnamed"),
            OURS,
        ],
    )
    assert list(found) == ["probe"]
    assert {problem.name for problem in found.broken} == {"lost", "odd", "misnamed"}
    for name in ("phylon-lost", "phylon-odd", "phylon-misnamed"):
        assert name in caplog.text
    assert "No module named 'nowhere_at_all'" in caplog.text


def test_a_name_that_is_taken_is_refused():
    rivals = [point("probe", "phylon.catalogue.bundled:TOY", "phylon-rival"), OURS]
    rivals += [point("twice", "phylon.catalogue.bundled:TOY", package) for package in ("phylon-a", "phylon-b")]
    found = load_registry("phylon.suites", SuiteDescription, rivals)
    assert list(found) == ["probe"] and found["probe"] is suites()["probe"]
    reasons = {problem.distribution: problem.reason for problem in found.broken}
    assert set(reasons) == {"phylon-rival", "phylon-a", "phylon-b"}
    assert "phylon itself has the same name" in reasons["phylon-rival"]
    assert "another plug-in has the same name" in reasons["phylon-a"]


def test_an_installation_without_entry_points_says_what_to_do():
    with pytest.raises(RuntimeError, match=r"pip install --editable"):
        load_registry("phylon.algorithms", AlgorithmDescription, [OURS])


@pytest.mark.parametrize(
    "module",
    [
        "phylon.registry.descriptions",
        "phylon.spec.distributions",
        "phylon.spec.algorithms.networks",
        "phylon.spec.algorithms.observations",
        "phylon.spec.evolving",
        "phylon.spec.problems",
        "phylon.forecast.networks",
        "phylon.catalogue",
    ],
)
def test_what_plug_ins_import_loads_no_registry(module: str):
    """A plug-in's module imports these while the registries may be about to import that very module."""
    code = (
        f"import {module}; from phylon.registry import entry_points as e;"
        "assert e._installed.cache_info().currsize == 0; import phylon.spec.experiment"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_answered_with_those_that_exist():
    raw = {
        "version": 1,
        "name": "x",
        "kind": "training",
        "environment": {"suite": "probe", "id": "ActionReward-v0"},
        "algorithm": {"name": "td4"},
        "population": {"size": 1, "method": {"name": "independent"}},
        "budget": {"env_steps": 1000},
    }
    with pytest.raises(ValueError, match=r"algorithm.name: unknown algorithm 'td4' .*td3.*plug-in"):
        parse_spec(raw)


@pytest.mark.parametrize(("name", "tables"), [("methods.md", 3), ("spec.md", 1)])
def test_the_tables_of_the_documentation_are_current(name, tables):
    file = Path(__file__).parents[2] / "docs" / name
    text = file.read_text(encoding="utf-8")
    assert text.count("<!-- table: ") == tables
    assert fill_in(text) == text, f"run `python -m phylon.registry.listing docs/{name}`"
