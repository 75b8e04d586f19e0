"""When a run ends, and that everything due at the end happens wherever that is."""

from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished, Lineage, RunEvent
from phylon.run_directory import latest_checkpoint
from phylon.spec.budget import BudgetSpec, PlateauSpec
from phylon.worker.core.commands import Commands
from phylon.worker.training import loop
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.state import Plateau
from phylon.worker.training.stopping import check_limits, find_goal, find_limit, follow
from phylon.worker.training.stopwatch import Stopwatch

from .runs import frames_of, reproducible

STEPS = 80
EVALUATION = 8


@pytest.fixture
def toy() -> dict[str, Any]:
    """The PBT paper's toy: a segment is a step, and returns rise to 1.2."""
    return {
        "environment": "Figure2-v0",
        "algorithm": {"name": "surrogate_ascent", "weight_0": {"uniform": [0, 1]}, "weight_1": {"uniform": [0, 1]}},
        "population": {
            "size": 2,
            "founders": {"weight_0": [1, 0], "weight_1": [0, 1]},
            "method": {"interval": 16, "selection": {"top": 0.5}, "explore": "gaussian"},
        },
        "budget": {"env_steps": STEPS},
        "evaluation": {"interval": EVALUATION, "episodes": 1, "final": 0},
        "checkpoint": 40,
        "execution": "vectorized",
    }


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch):
    """A second passes with each segment, and none in between."""
    ticks = {"now": 0}

    def check(attempt: Attempt) -> None:
        ticks["now"] += 1
        check_limits(attempt)

    def start(self: Stopwatch) -> None:
        former(self)
        ticks["now"] = 0

    former = Stopwatch.__init__
    monkeypatch.setattr(Stopwatch, "__init__", start)
    monkeypatch.setattr(Stopwatch, "wall", property(lambda self: self.wall_before + ticks["now"]))
    monkeypatch.setattr(loop, "check_limits", check)


class StopAt(Commands):
    """A launcher that asks for a stop after so many looks at it; one is taken at each border."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    @property
    def wanted(self):
        self._looks -= 1
        return "stop" if self._looks < 0 else None


def ending(events: list[RunEvent]) -> tuple[str, int]:
    finished = events[-1]
    assert isinstance(finished, Finished)
    return finished.reason, finished.step


def assert_ended_properly(events: list[RunEvent], run_dir: Any) -> None:
    """The last border has an evaluation and a checkpoint, and nobody is replaced there."""
    step = events[-1].step
    assert step in frames_of(events, "evaluation/return"), "the last population was not evaluated"
    record = latest_checkpoint(run_dir)
    assert record is not None and record.step == step, "the last population was not stored"
    assert step not in [event.step for event in events if isinstance(event, Lineage)], "nobody trains the replaced"


class TestRules:
    @pytest.mark.parametrize(
        ("step", "seconds", "expected"),
        [(99, 9.9, None), (100, 0, "budget"), (99, 10, "seconds"), (100, 10, "budget")],
    )
    def test_steps_and_seconds(self, step: int, seconds: float, expected: str | None):
        assert find_limit(BudgetSpec(env_steps=100, seconds=10), step, seconds) == expected

    def test_no_seconds_are_no_limit(self):
        assert find_limit(BudgetSpec(env_steps=100), 99, 1e9) is None

    @pytest.mark.parametrize(("reached", "expected"), [(4.9, None), (5.0, "target_return"), (np.nan, None)])
    def test_target(self, reached: float, expected: str | None):
        assert find_goal(BudgetSpec(env_steps=1, target_return=5), reached, Plateau()) == expected

    def test_a_plateau_by_hand(self):
        """Rises of more than 2 above the last rise: 0, 3 (of 3), not 5 (of 2), 5.5 (of 2.5), then never again."""
        spec, plateau, counts = PlateauSpec(evaluations=3, improvement=2), Plateau(), list[int]()
        for best in [0, 3, 5, 5.5, 7.5, np.nan, 4]:
            plateau = follow(plateau, spec, best)
            counts.append(plateau.evaluations)
        assert counts == [0, 0, 1, 0, 1, 2, 3] and plateau.peak == 5.5
        budget = BudgetSpec(env_steps=1, plateau=spec)
        assert find_goal(budget, 4, plateau) == "plateau"
        assert find_goal(budget, 4, plateau._replace(evaluations=2)) is None


class TestSeconds:
    def test_end_at_the_next_border(self, toy, train_here, tmp_path, slow_clock):
        toy["budget"]["seconds"] = 26.5
        events = train_here(toy)
        assert ending(events) == ("seconds", 27)
        assert_ended_properly(events, tmp_path / "run")

    def test_count_over_all_attempts(self, toy, train_here, tmp_path, slow_clock):
        toy["budget"]["seconds"] = 26.5
        stopped = train_here(toy, commands=StopAt(10))
        assert (stopped[-1].kind, stopped[-1].step) == ("stopped", 11)
        assert ending(train_here(toy)) == ("seconds", 27)

    def test_selection_by_the_clock(self, toy, train_here, slow_clock):
        """Each time the seconds pass a multiple of the interval; members are evaluated for it."""
        toy["population"]["method"]["interval"] = "21s"
        events = train_here(toy)
        assert [event.step for event in events if isinstance(event, Lineage)] == [0, 21, 42, 63]
        assert {21, 42, 63} <= set(frames_of(events, "evaluation/return"))

    def test_selection_goes_on_where_it_was(self, toy, train_here, slow_clock):
        toy["population"]["method"]["interval"] = "21s"
        train_here(toy, commands=StopAt(29))
        events = train_here(toy)
        assert [event.step for event in events if isinstance(event, Lineage)] == [0, 21, 42, 63]

    def test_nobody_is_selected_before_the_first_update(self, small_spec, train_here, slow_clock):
        small_spec["population"]["method"] |= {"interval": 2, "unit": "seconds"}
        small_spec["evaluation"]["final"] = 0
        small_spec |= {"version": 2, "budget": {"env_steps": 200}}
        small_spec["replay"]["warmup"] = 100
        events = train_here(small_spec)
        assert [event.step for event in events if isinstance(event, Lineage)] == [0, 120, 160]


class TestGoals:
    def test_target_return(self, toy, train_here, tmp_path):
        best = {step: max(values) for step, values in frames_of(train_here(toy, "whole"), "evaluation/return").items()}
        target = best[32]
        assert best[24] < target < best[STEPS]
        toy["budget"]["target_return"] = target
        toy["evaluation"]["final"] = 4
        events = train_here(toy)
        assert ending(events) == ("target_return", 32)
        assert events[-1].final.episodes == 4, "such a run has a final return, too"
        assert_ended_properly(events, tmp_path / "run")

    def test_a_border_at_which_members_would_have_been_replaced(self, toy, train_here, tmp_path):
        toy["budget"]["target_return"] = -100
        toy["population"]["method"]["interval"] = EVALUATION
        events = train_here(toy)
        assert ending(events) == ("target_return", EVALUATION)
        assert_ended_properly(events, tmp_path / "run")

    def test_plateau(self, toy, train_here, tmp_path):
        toy["budget"]["plateau"] = {"evaluations": 2, "improvement": 1000}
        events = train_here(toy)
        assert ending(events) == ("plateau", 3 * EVALUATION)
        assert_ended_properly(events, tmp_path / "run")

    def test_a_plateau_is_counted_over_all_attempts(self, toy, train_here):
        toy["budget"]["plateau"] = {"evaluations": 4, "improvement": 1000}
        train_here(toy, commands=StopAt(3 * EVALUATION))
        assert ending(train_here(toy)) == ("plateau", 5 * EVALUATION)

    def test_evaluations_of_the_warm_up_do_not_count(self, small_spec, train_here):
        """They are at 20, 40, 60, …; the first after an update is at 80, and the one after it is no rise."""
        small_spec["replay"]["warmup"] = 60
        small_spec["evaluation"]["interval"] = 20
        small_spec["evaluation"]["final"] = 0
        small_spec |= {"version": 2, "budget": {"env_steps": 200, "plateau": {"evaluations": 1, "improvement": 1e6}}}
        assert ending(train_here(small_spec)) == ("plateau", 100)

    def test_overlapped_learning_ends_where_it_was_evaluated(self, small_spec, train_here, tmp_path):
        small_spec["evaluation"]["final"] = 0
        small_spec |= {"version": 2, "budget": {"env_steps": 400, "target_return": -1e6}}
        small_spec["execution"]["overlap"] = True
        events = train_here(small_spec)
        assert ending(events) == ("target_return", 100)
        assert_ended_properly(events, tmp_path / "run")


class TestEnded:
    @pytest.mark.parametrize("limit", [{"target_return": -100}, {"plateau": {"evaluations": 1, "improvement": 1000}}])
    def test_a_trainer_that_died_before_it_could_say_so(self, toy, train_here, tmp_path, limit: dict[str, Any]):
        """Its last checkpoint says that the run is over, so the next attempt trains no further."""
        toy["budget"] |= limit
        first = train_here(toy)
        again = train_here(toy)
        assert again[-2].kind == "started" and ending(again) == ending(first)
        assert reproducible(again) == reproducible(first)

    def test_limits_that_are_not_reached_change_nothing(self, toy, train_here):
        plain = train_here(toy, "plain")
        toy["budget"] |= {"seconds": "1d", "target_return": 1e6, "plateau": 1000}
        assert reproducible(train_here(toy, "limited")) == reproducible(plain)
        assert ending(plain) == ("budget", STEPS)

    def test_the_former_rule_would_be_noticed(self, toy, train_here, tmp_path, slow_clock, monkeypatch):
        """Until there were other limits, only the last step was an end."""
        monkeypatch.setattr(Attempt, "is_end", property(lambda self: self.state.step == self.spec.budget.env_steps))
        toy["budget"]["seconds"] = 26.5
        events = train_here(toy)
        with pytest.raises(AssertionError, match="was not evaluated"):
            assert_ended_properly(events, tmp_path / "run")
