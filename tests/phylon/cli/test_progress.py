"""What `train` and `watch` show, from a history written by hand."""

import pytest

from phylon.cli.progress import Lines, RunState
from phylon.contract.events import Lineage, Metrics, RunEvent, Span

NAN = float("nan")


def span(id: int, slot: int, parent: int | None, discount: float) -> Span:
    return Span(
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
    Lineage(kind="lineage", seq=0, step=0, wall=0.0, spans=[span(0, 0, None, 0.9), span(1, 1, None, 0.95)]),
    Metrics(kind="metrics", seq=1, step=500, wall=1.5, frames={"speed/env_steps_per_second": [1000.0]}),
    Metrics(kind="metrics", seq=2, step=1000, wall=3.0, frames={"evaluation/return": [-900.0, NAN]}),
    Lineage(kind="lineage", seq=3, step=1000, wall=3.1, spans=[span(2, 1, 0, 0.97)]),
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
    assert state.spans[1].hyperparams == {"discount": 0.97}


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
