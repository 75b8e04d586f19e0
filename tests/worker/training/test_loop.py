"""Small populations trained in this process: what happens when, and what may never happen."""

from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Failed, Finished, Lineage, Metrics, Started
from phylon.worker.core.commands import Commands
from phylon.worker.execution.auto import Chosen, choose
from phylon.worker.training import assembly
from phylon.worker.training.stopwatch import PHASES

from .runs import frames_of, kinds, last_arrays, reproducible


class TestOrder:
    def test_of_a_whole_run(self, small_spec, train_here):
        events = train_here(small_spec)
        happened = [(event.step, event.kind) for event in events]
        assert happened == [
            (0, "started"),
            (0, "lineage"),
            (60, "metrics"),
            *[(100, kind) for kind in ("metrics", "lineage", "checkpoint")],
            (120, "metrics"),
            (180, "metrics"),
            *[(200, kind) for kind in ("metrics", "lineage", "checkpoint")],
            (240, "metrics"),
            *[(300, kind) for kind in ("metrics", "metrics", "lineage", "checkpoint")],
            (360, "metrics"),
            *[(400, kind) for kind in ("metrics", "checkpoint", "metrics", "policy", "finished")],
        ]
        assert [event.seq for event in events] == list(range(len(events)))

    def test_burn_in_delays_selection(self, small_spec, train_here):
        small_spec["population"]["method"]["burn_in"] = 250
        events = train_here(small_spec)
        assert [event.step for event in events if isinstance(event, Lineage)] == [0, 300]

    def test_no_update_while_warming_up(self, small_spec, train_here):
        small_spec["replay"]["warmup"] = 120
        losses = frames_of(train_here(small_spec), "training/critic_loss")
        assert list(losses) == [180, 240, 300, 360]

    def test_several_environments_a_member(self, small_spec, train_here, tmp_path):
        small_spec["environment"]["envs_per_member"] = 5
        events = train_here(small_spec)
        assert isinstance(events[-1], Finished)
        assert last_arrays(tmp_path / "run")["replay/reward"].shape == (4, 400)


class TestReproducibility:
    def test_the_same_run_twice(self, small_spec, train_here, tmp_path):
        first, second = train_here(small_spec, "first"), train_here(small_spec, "second")
        assert reproducible(first) == reproducible(second)
        expected, found = last_arrays(tmp_path / "first"), last_arrays(tmp_path / "second")
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)

    def test_another_seed_is_another_run(self, small_spec, train_here):
        first, second = train_here(small_spec, "first", seed=0), train_here(small_spec, "second", seed=1)
        assert frames_of(first, "evaluation/return") != frames_of(second, "evaluation/return")

    def test_strategies_lead_to_the_same_plan(self, small_spec, train_here):
        runs = {}
        for strategy in ("sequential", "vectorized", "sharded"):
            small_spec["execution"]["strategy"] = strategy
            runs[strategy] = train_here(small_spec, strategy)
        plans = {name: [plan(event) for event in events if isinstance(event, Lineage)] for name, events in runs.items()}
        assert plans["vectorized"] == plans["sequential"] == plans["sharded"]
        for name in ("evaluation/return", "training/return"):
            values = [np.array(list(frames_of(events, name).values())) for events in runs.values()]
            np.testing.assert_allclose(values[1], values[0], rtol=1e-3)
            np.testing.assert_allclose(values[2], values[0], rtol=1e-3)


def plan(event: Lineage) -> Any:
    chosen = {"id", "slot", "parent", "operator", "changes", "hyperparams_before", "hyperparams", "rank"}
    return event.step, [span.model_dump(include=chosen) for span in event.spans]


class TestRecompilation:
    def test_nothing_is_compiled_after_the_first_generation(self, small_spec, train_here):
        seconds = frames_of(train_here(small_spec), "time/compile")
        assert seconds[60][0] > 0
        assert {step: spent for step, (spent,) in seconds.items() if step > 120} == {180: 0, 240: 0, 300: 0, 360: 0}


class TestStarted:
    def test_says_how_the_run_is_done(self, small_spec, train_here):
        started = train_here(small_spec)[0]
        assert isinstance(started, Started)
        assert started.strategy == "sharded"
        assert started.devices == ["cpu:0", "cpu:1"]
        assert started.versions.keys() >= {"python", "jax", "phylon"}
        policy = (3 * 16 + 16) + (16 * 16 + 16) + (16 + 1)
        critic = (4 * 16 + 16) + (16 * 16 + 16) + (16 + 1)
        assert started.parameters == policy + 2 * critic

    def test_auto_is_kept_for_the_next_attempt(self, small_spec, train_here, tmp_path):
        small_spec["execution"]["strategy"] = "auto"
        first = train_here(small_spec)[0]
        for file in (tmp_path / "strategies").iterdir():
            file.unlink()
        again = train_here(small_spec)
        started = [event for event in again if isinstance(event, Started)]
        assert [event.explanation for event in started] == [first.explanation] * 2
        assert first.explanation.startswith("auto chose")


class TestMetrics:
    def test_names_and_sizes(self, small_spec, train_here):
        events = [event for event in train_here(small_spec) if isinstance(event, Metrics)]
        sizes = {name: len(values) for event in events for name, values in event.frames.items()}
        assert sizes == {
            **{f"evaluation/{name}": 4 for name in ("return", "return_stderr", "length")},
            **{f"final/{name}": 4 for name in ("return", "return_stderr", "return_low", "return_high")},
            **{f"training/{name}": 4 for name in ("return", "critic_loss", "policy_loss", "q_value")},
            **{f"hyperparams/{name}": 4 for name in ("policy_learning_rate", "discount")},
            "speed/env_steps_per_second": 1,
            "speed/updates_per_second": 1,
            **{f"time/{phase}": 1 for phase in PHASES},
        }

    def test_speed_and_time_add_up(self, small_spec, train_here):
        for event in train_here(small_spec):
            if isinstance(event, Metrics) and event.step in (180, 240):
                seconds = sum(values[0] for name, values in event.frames.items() if name.startswith("time/"))
                assert event.frames["speed/env_steps_per_second"][0] == pytest.approx(4 * 60 / seconds)
                assert event.frames["speed/updates_per_second"][0] == pytest.approx(4 * 60 / seconds)


class TestFailure:
    @pytest.mark.parametrize("defect", ["nothing is copied", "the wrong member is copied", "old values are used"])
    def test_a_mutation_that_does_not_arrive(self, small_spec, train_here, monkeypatch, defect):
        """The proof of mutation is put to the test by an execution that breaks its promise."""

        def choose_broken(*arguments: Any) -> Chosen:
            chosen = choose(*arguments)
            execution, remembered = chosen.execution, []

            def update_with_first_values(population, hyperparams, *rest):
                remembered.append(hyperparams)
                return execution.update(population, remembered[0], *rest)

            broken = {
                "nothing is copied": {"gather": lambda population, parents: population},
                "the wrong member is copied": {
                    "gather": lambda population, parents: execution.gather(population, np.roll(parents, 1))
                },
                "old values are used": {"update": update_with_first_values},
            }
            return chosen._replace(execution=execution._replace(**broken[defect]))

        monkeypatch.setattr(assembly, "choose", choose_broken)
        events = train_here(small_spec)
        failed = events[-1]
        assert isinstance(failed, Failed)
        assert "please report it" in failed.remedy
        if defect == "old values are used":
            assert failed.step == 120
            assert "but trained with" in failed.message
        else:
            assert failed.step == 100
            assert "should hold the weights of slot" in failed.message
            assert [event.step for event in events if isinstance(event, Lineage)] == [0]


class TestCommands:
    def test_stop_at_the_end_of_the_budget_is_the_end(self, small_spec, train_here):
        class StopAtTheEnd(Commands):
            """Asks to stop in the very last segment."""

            looks = 0

            def __init__(self) -> None:
                pass

            @property
            def wanted(self):
                self.looks += 1
                return "stop" if self.looks == 400 // 20 else None

        assert kinds(train_here(small_spec, commands=StopAtTheEnd()))[-1] == "finished"
