"""`auto` measures once, says what it measured, and remembers it."""

import re
import weakref
from dataclasses import replace
from types import SimpleNamespace

import jax
import pytest

from phylon.spec.experiment import ExecutionSpec
from phylon.worker.execution import auto, build_execution
from phylon.worker.execution.auto import Trial, candidates, choose


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    """Only as many rounds as there must be: how well it measures is no matter here."""
    monkeypatch.setattr(auto, "PATIENCE_SECONDS", 0.0)


@pytest.fixture
def decide(setting, tmp_path):
    def trial():
        return Trial(setting.batches, updates=6)

    def decide(structure=None, **wanted):
        return choose(ExecutionSpec(**wanted), setting.work, trial, structure or {}, tmp_path)

    return decide


def test_says_what_it_measured(decide, monkeypatch):
    closed: list[str] = []

    def build(name, work):
        return build_execution(name, work)._replace(close=lambda: closed.append(name))

    monkeypatch.setattr(auto, "build_execution", build)
    chosen = decide()
    assert closed == ["sharded" if chosen.execution.strategy == "vectorized" else "vectorized"]
    assert chosen.execution.strategy in ("sharded", "vectorized")
    assert re.fullmatch(
        r"auto chose (sharded over 2 devices|vectorized): [\d.]+ ms per member-update against [\d.]+ "
        r"(sharded|vectorized) \(measured now\)",
        chosen.explanation,
    )


def test_remembers(decide):
    first, second = decide(), decide()
    assert second.execution.strategy == first.execution.strategy
    assert second.explanation == first.explanation.replace("measured now", "measured earlier on this machine")


def test_measures_again_for_another_structure(decide):
    decide(structure={"network": 1})
    assert "measured now" in decide(structure={"network": 2}).explanation


def test_forgets_what_cannot_be_read(decide, tmp_path):
    decide()
    (file,) = tmp_path.glob("*.json")
    file.write_text("{")
    assert "measured now" in decide().explanation


def test_obeys_the_spec(decide, tmp_path):
    chosen = decide(strategy="sharded")
    assert chosen.execution.strategy == "sharded"
    assert chosen.explanation == "the spec asks for sharded over 2 devices"
    assert not list(tmp_path.iterdir())


class TestWhenMemoryRunsOut:
    """A device that holds so many members at a time stands in for a small one."""

    @pytest.fixture
    def limit(self, monkeypatch):
        def limit(vectorized, sharded=1, says="RESOURCE_EXHAUSTED: Out of memory allocating 64 bytes."):
            placed: list[weakref.ref[jax.Array]] = []

            def build(name, work, settings=ExecutionSpec()):  # noqa: B008  frozen
                assert not [one for one in placed if one() is not None], "what did not fit is still on the device"
                execution = build_execution(name, work, settings)
                needs = (settings.chunk or work.population_size) if name == "vectorized" else 1
                if needs <= {"vectorized": vectorized, "sharded": sharded}[name]:
                    return execution

                def update(population, *others):
                    placed.extend(map(weakref.ref, jax.tree.leaves(population)))
                    raise jax.errors.JaxRuntimeError(says)

                return execution._replace(update=update)

            monkeypatch.setattr(auto, "build_execution", build)

        return limit

    def test_a_batch_is_halved_until_it_fits(self, decide, limit):
        limit(vectorized=2, sharded=0)
        chosen = decide()
        assert chosen.execution.description == "vectorized in chunks of 2"
        assert chosen.chunk == 2
        assert chosen.explanation.endswith(
            "sharded ran out of the device's memory; all 4 members at once ran out of the device's memory"
        )
        again = decide()
        assert (again.execution.description, again.chunk) == (chosen.execution.description, 2)

    def test_what_does_not_fit_is_not_chosen(self, decide, limit):
        limit(vectorized=0)
        chosen = decide()
        assert chosen.explanation == (
            "auto chose sharded over 2 devices: nothing else fits this population and these devices; "
            "vectorized ran out of the device's memory"
        )
        assert chosen.chunk is None

    def test_that_nothing_fits_is_an_error(self, decide, limit):
        limit(vectorized=0, sharded=0)
        with pytest.raises(jax.errors.JaxRuntimeError, match="Out of memory"):
            decide()

    def test_no_other_error_is_taken_for_it(self, decide, limit):
        limit(vectorized=0, sharded=0, says="INTERNAL: out of order")
        with pytest.raises(jax.errors.JaxRuntimeError, match="out of order"):
            decide()

    def test_strategies_that_fit_only_alone_are_measured_alone(self, decide, monkeypatch):
        alone, together = [], auto._time_rounds

        def time_rounds(fitting, work, trial):
            if len(fitting) > 1:
                raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")
            alone.extend(each.execution.strategy for each in fitting)
            return together(fitting, work, trial)

        monkeypatch.setattr(auto, "_time_rounds", time_rounds)
        assert "measured now" in decide().explanation
        assert alone == ["sharded", "vectorized"]


@pytest.mark.parametrize(
    ("platform", "count", "size", "expected"),
    [
        ("cpu", 2, 8, ["sharded", "vectorized"]),
        ("cpu", 1, 8, ["sequential", "vectorized"]),
        ("cpu", 2, 7, ["sequential", "vectorized", "parallel"]),
        ("cpu", 6, 8, ["sharded", "vectorized"]),
        ("cpu", 6, 3, ["sharded", "vectorized"]),
        ("cpu", 2, 1, ["sequential"]),
        ("gpu", 1, 8, ["vectorized"]),
        ("gpu", 4, 8, ["vectorized", "sharded"]),
        ("gpu", 8, 13, ["vectorized", "sharded"]),
    ],
)
def test_tries_what_may_be_fastest(platform, count, size, expected):
    assert candidates(size, [SimpleNamespace(platform=platform, device_kind="")] * count) == expected


def test_one_member_leaves_no_choice(setting, tmp_path):
    chosen = choose(ExecutionSpec(), replace(setting.work, population_size=1), pytest.fail, {}, tmp_path)
    assert chosen.execution.strategy == "sequential"
    assert "nothing else fits" in chosen.explanation
    assert chosen.execution.devices == (jax.local_devices()[0],)
