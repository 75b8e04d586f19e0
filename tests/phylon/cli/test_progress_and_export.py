"""What `train` and `watch` show, and the files they leave, from a history written by hand."""

import csv
import json
from pathlib import Path

import pytest

from phylon.cli.export import lineage_of_events, rows_of_events, write_lineage, write_metrics
from phylon.cli.progress import Lines, RunState
from phylon.events import Lineage, Metrics, RunEvent, Segment
from phylon.presets import load_preset
from phylon.results import RunLineage
from phylon.spec import parse_yaml

SPEC = parse_yaml(load_preset("td3-pbt-pendulum-smoke").yaml)
NAN = float("nan")


def segment(id: int, slot: int, parent: int | None, discount: float) -> Segment:
    return Segment(
        id=id,
        slot=slot,
        parent=parent,
        operator="founder" if parent is None else "perturb",
        changes={"discount": "draw"},
        hyperparams_before=None,
        hyperparams={"discount": discount},
        fitness=None,
        parent_fitness=None,
        rank=None,
        weights="00",
    )


HISTORY: list[RunEvent] = [
    Lineage(kind="lineage", seq=0, step=0, wall=0.0, segments=[segment(0, 0, None, 0.9), segment(1, 1, None, 0.95)]),
    Metrics(kind="metrics", seq=1, step=500, wall=1.5, frames={"speed/env_steps_per_second": [1000.0]}),
    Metrics(kind="metrics", seq=2, step=1000, wall=3.0, frames={"evaluation/return": [-900.0, NAN]}),
    Lineage(kind="lineage", seq=3, step=1000, wall=3.1, segments=[segment(2, 1, 0, 0.97)]),
    Metrics(kind="metrics", seq=4, step=2000, wall=6.0, frames={"evaluation/return": [-800.0, -200.0]}),
]


def state_after(count: int) -> RunState:
    state = RunState(total_steps=12_000, members=2)
    for event in HISTORY[:count]:
        state.apply(event)
    return state


def test_nothing_is_known_before_the_first_evaluation():
    state = state_after(2)
    assert (state.best, state.median, state.best_member) == (None, None, None)
    assert state.seconds_left == (12_000 - 500) * 2 / 1000.0


def test_a_member_without_a_number_is_left_out():
    state = state_after(3)
    assert (state.best, state.median, state.best_member) == (-900.0, -900.0, 0)


def test_the_best_member_and_its_living_hyperparams():
    state = state_after(5)
    assert (state.best, state.median, state.best_member) == (-200.0, -500.0, 1)
    assert state.segments[1].hyperparams == {"discount": 0.97}


def test_a_log_gets_one_line_at_each_evaluation(capsys: pytest.CaptureFixture[str]):
    state = RunState(total_steps=12_000, members=2)
    view = Lines()
    for event in HISTORY:
        evaluated = state.apply(event)
        view.show("run", state, "training", evaluated)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "run training"
    assert lines[1].startswith("run 1000/12000 steps · return best -900, median -900 · 1000 member-steps/s")
    assert lines[2].startswith("run 2000/12000 steps · return best -200, median -500")
    assert len(lines) == 3


def test_metrics_as_csv(tmp_path: Path):
    write_metrics(tmp_path, rows_of_events(HISTORY))
    with (tmp_path / "metrics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {
        "name": "speed/env_steps_per_second", "step": "500", "wall_seconds": "1.5", "member": "", "value": "1000.0",
    }  # fmt: skip
    assert [(row["member"], row["value"]) for row in rows[1:]] == [
        ("0", "-900.0"), ("1", "nan"), ("0", "-800.0"), ("1", "-200.0"),
    ]  # fmt: skip


def test_lineage_as_the_service_tells_it(tmp_path: Path):
    write_lineage(tmp_path, lineage_of_events(SPEC, HISTORY))
    lineage = RunLineage.model_validate(json.loads((tmp_path / "lineage.json").read_text()))
    assert lineage.end_step == 2000
    assert [(s.id, s.start_step, s.end_step) for s in lineage.segments] == [(0, 0, None), (1, 0, 1000), (2, 1000, None)]
    assert {tuned.name for tuned in lineage.tuned} >= {"discount", "policy_learning_rate"}
