"""With the replay on the device a segment is one program, and gives what the replay in host memory gives.

On this processor to the bit. Nothing promises that of two different programs, so as with strategies the test allows for
rounding; what is drawn and what moves is compared as it is.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from phylon.contract.events import Diverged, Finished, Lineage, RunEvent, Started
from phylon.run_directory import checkpoints_dir
from phylon.spec import hyperparameters, parse_spec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.execution import Workload, build_execution
from phylon.worker.execution.compilation import watch_compilation
from phylon.worker.training import placement
from phylon.worker.training.collect import FixedActions
from phylon.worker.training.collect_on_device import DeviceCollector
from phylon.worker.training.placement import choose_place
from phylon.worker.training.randomness import random_actions
from phylon.worker.training.replay_on_device import DeviceReplay
from phylon.worker.training.segment_on_device import DeviceSegment
from phylon.worker.training.stopwatch import Stopwatch

from .runs import last_arrays
from .test_on_device import ENVS, INFO, KEY, SIZE, World

NETWORK = {"hidden": [8]}
RATES = {"critic_learning_rate": {"log_uniform": [1e-4, 1e-2]}}
PENDULUM = {"suite": "gymnax", "id": "Pendulum-v1", "envs_per_member": 2}
KINDS: dict[str, dict[str, Any]] = {
    "td3, three steps, replay copied": {
        "environment": PENDULUM,
        "algorithm": {"name": "td3", "batch_size": 8, "network": NETWORK, "n_step": 3} | RATES,
        "method": {"copying": {"replay": True}},
        "strategy": "sharded",
        "ratio": 4.0,  # two calls of 40 updates
    },
    "sac, normalised from the first step": {
        "environment": PENDULUM,
        "algorithm": {"name": "sac", "batch_size": 8, "network": NETWORK, "observations": {"normalise": True}} | RATES,
        "strategy": "vectorized",
        "warmup": 0,
    },
    "dqn, a member diverges": {
        "environment": {"suite": "gymnax", "id": "CartPole-v1"},
        "algorithm": {"name": "dqn", "batch_size": 8, "network": NETWORK, "learning_rate": {"choice": [1e-3, 1e30]}},
        "method": {"explore": {"name": "keep"}},
        "founders": {"learning_rate": [1e-3, 1e-3, 1e30, 1e-3]},
        "strategy": "sequential",
    },
}


def spec_of(small_spec: dict[str, Any], kind: dict[str, Any], where: str) -> dict[str, Any]:
    """Two selections; the ring of 150 wraps around."""
    replay = {"capacity": 150, "ratio": kind.get("ratio", 1.0), "warmup": kind.get("warmup", 40), "placement": where}
    return small_spec | {
        "environment": kind["environment"],
        "algorithm": kind["algorithm"],
        "population": {
            "size": 4,
            "method": {"name": "pbt", "interval": 100} | kind.get("method", {}),
            "founders": kind.get("founders", {}),
        },
        "replay": replay,
        "budget": {"env_steps": 300},
        "execution": {"strategy": kind["strategy"], "segment_steps": 20},
    }


def require_same_run(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        if array.dtype.kind == "f":
            np.testing.assert_allclose(found[name], array, rtol=2e-3, atol=2e-5, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], array, err_msg=name)


def moves(events: list[RunEvent]) -> list[Any]:
    """Who replaced whom, and when."""
    spans = [
        (event.step, span) for event in events if isinstance(event, Lineage) and event.step for span in event.spans
    ]
    assert spans
    return [(step, span.slot, span.parent, span.operator) for step, span in spans]


@pytest.mark.parametrize("kind", KINDS)
def test_both_places_give_the_same_run_and_continue_each_other(small_spec, train_here, tmp_path: Path, kind):
    on_host, on_device = (train_here(spec_of(small_spec, KINDS[kind], where), where) for where in ("host", "device"))
    assert isinstance(on_device[-1], Finished)
    assert moves(on_device) == moves(on_host)
    diverged = [event.member for event in on_device if isinstance(event, Diverged)]
    assert diverged == ([2] if "founders" in KINDS[kind] else [])
    expected = last_arrays(tmp_path / "host")
    assert expected["replay/added"] == 300 and expected["replay/reward"].shape == (4, 150)
    require_same_run(last_arrays(tmp_path / "device"), expected)
    # From the checkpoint that one wrote the other goes on.
    for file in checkpoints_dir(tmp_path / "device").glob("*15.*"):
        file.unlink()
    choice = tmp_path / "device" / "strategy.json"
    choice.write_text(json.dumps(json.loads(choice.read_text()) | {"replay": "host"}))
    again = train_here(spec_of(small_spec, KINDS[kind], "device"), "device")
    assert [event.step for event in again if isinstance(event, Started)] == [0, 200]
    require_same_run(last_arrays(tmp_path / "device"), expected)


class Assembled:
    """A population of TD3 in the smallest of worlds, on two devices."""

    def __init__(self, small_spec: dict[str, Any], strategy: Any = "sharded") -> None:
        small_spec["algorithm"] |= {"network": {"hidden": [4]}, "n_step": 2}
        small_spec["environment"] = PENDULUM
        small_spec["replay"]["capacity"] = 50_000
        self.spec, self.world = parse_spec(small_spec), World()
        recipe = partial(build_algorithm, self.spec.algorithm, INFO)
        typical = {name: 0.5 for name in hyperparameters(self.spec.algorithm)}
        self.work = Workload(recipe, INFO, SIZE, typical)
        self.execution = build_execution(strategy, self.work)
        self.collector = DeviceCollector(self.world.pool(SIZE * ENVS), SIZE, 0, self.execution)
        self.replay = DeviceReplay(self.spec, INFO, 0, self.execution, range(self.spec.population.size))
        self.segment = DeviceSegment(self.work, self.execution, self.collector, self.replay, 0)
        self.hyperparams = self.execution.place({name: np.full(SIZE, 0.5, np.float32) for name in typical})
        self.population = self.execution.init(KEY, self.hyperparams)

    def run(self, segment: int) -> None:
        self.population, reports = self.segment.run(segment, 10, self.population, self.hyperparams, Stopwatch())
        assert len(reports) == 1 and reports[0].metrics["critic_loss"].shape == (SIZE,)


@pytest.fixture
def assembled(small_spec: dict[str, Any]) -> Assembled:
    return Assembled(small_spec)


FORBIDDEN = ("callback", "infeed", "outfeed", "stablehlo.send", "stablehlo.recv", "pinned_host", "unpinned_host")


def test_nothing_moves_within_a_segment_and_it_is_compiled_once(assembled: Assembled):
    program, texts, compiled = assembled.segment.program, list[str](), list[list[str]]()

    def guarded(*arguments: Any) -> Any:
        if not texts:
            lowered = program.lower(*arguments)
            texts.append(lowered.as_text())
            needs, rings = lowered.compile().memory_analysis(), jax.tree.leaves(assembled.replay.rings)
            assert needs.temp_size_in_bytes < sum(leaf.nbytes for leaf in rings) / 10, "rings are written in place"
        with jax.transfer_guard("disallow"):
            return program(*arguments)

    assembled.segment.program = guarded
    for checkpoint in range(2):
        events: list[str] = []
        with watch_compilation(lambda event, seconds, events=events: events.append(event)):
            assembled.collector.restart(checkpoint)
            warmup = random_actions(0, checkpoint, (10, SIZE, ENVS), INFO)
            assembled.replay.add(assembled.collector.collect(FixedActions(warmup), Stopwatch()))
            assembled.replay.cut()
            for segment in (1, 2):
                before = jax.tree.leaves((assembled.population, assembled.replay.rings))
                assembled.run(segment)
                assert all(leaf.is_deleted() for leaf in before), "the next ones are written over the old ones"
        compiled.append(events)
    assert compiled[0] and not compiled[1]
    assert "while" in texts[0], "it is the program that collects and learns"
    assert not [word for word in FORBIDDEN if word in texts[0]]


def test_what_would_move_is_found_out(assembled: Assembled):
    with_callback = jax.jit(lambda x: jax.pure_callback(np.sin, x, x))
    assert "callback" in with_callback.lower(np.ones(2, np.float32)).as_text()
    program = assembled.segment.program
    assembled.collector.restart(0)
    assembled.segment._execution = assembled.execution._replace(place=lambda inputs: inputs)

    def guarded(*arguments: Any) -> Any:
        with jax.transfer_guard("disallow"):
            return program(*arguments)

    assembled.segment.program = guarded
    with pytest.raises(Exception, match="Disallowed host-to-device transfer"):
        assembled.run(0)


class TestChoice:
    def choose(self, small_spec: dict[str, Any], strategy: Any = "vectorized", **replay: Any) -> placement.Place:
        spec = parse_spec(small_spec | {"environment": PENDULUM, "replay": small_spec["replay"] | replay})
        work = Workload(partial(build_algorithm, spec.algorithm, INFO), INFO, SIZE, hyperparameters_of(spec))
        return choose_place(spec, build_execution(strategy, work), work.population_size)

    def test_auto_follows_the_forecast(self, small_spec, monkeypatch):
        assert self.choose(small_spec).is_on_device
        monkeypatch.setattr(placement, "_usable_bytes", lambda: 10_000)
        place = self.choose(small_spec)
        assert not place.is_on_device
        assert place.why.startswith("the replay is on the host: on the device it would take")

    def test_what_the_device_cannot_do_stays_on_the_host(self, small_spec):
        assert self.choose(small_spec, sharing="shared").why.startswith("the replay is on the host: members share one")
        asked = self.choose(small_spec, placement="host")
        assert (asked.is_on_device, asked.why) == (False, "the spec asks for the replay on the host")

    def test_it_is_kept_when_a_run_goes_on(self, small_spec, train_here, monkeypatch):
        spec = spec_of(small_spec, KINDS["dqn, a member diverges"], "auto") | {"budget": {"env_steps": 100}}
        first = train_here(spec)[0]
        monkeypatch.setattr(placement, "_usable_bytes", lambda: 0)
        started = [event for event in train_here(spec) if isinstance(event, Started)]
        assert [event.explanation for event in started] == [first.explanation] * 2
        assert "the replay is on the device" in first.explanation


def hyperparameters_of(spec: Any) -> dict[str, float]:
    return dict.fromkeys(hyperparameters(spec.algorithm), 0.5)
