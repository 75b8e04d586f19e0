"""A run that is interrupted in order equals the undisturbed one, or says from which step on it does not."""

import numpy as np
import pytest

from phylon.contract.events import Interrupted
from phylon.worker.core.commands import Commands
from phylon.worker.training import boundary

from .runs import frames_of, kinds, last_arrays, reproducible

BETWEEN, AT_CHECKPOINT = 6, 5
"""Segments of 20 steps; checkpoints are scheduled every 100 steps."""


class After(Commands):
    """A launcher that asks for something once a number of segments are done: the loop looks once per segment."""

    def __init__(self, segments: int, command: str) -> None:
        self._segments, self._command, self._looks = segments, command, 0

    @property
    def wanted(self):
        self._looks += 1
        return self._command if self._looks >= self._segments else None


class Crash(After):
    @property
    def wanted(self):
        if super().wanted is not None:
            raise ConnectionError("the machine is gone")
        return None


@pytest.fixture
def spec(small_spec):
    small_spec["execution"]["strategy"] = "vectorized"
    small_spec["budget"]["env_steps"] = 300
    return small_spec


@pytest.fixture
def undisturbed(spec, train_here):
    return train_here(spec, "undisturbed")


def interrupt(train_here, spec, command="yield", segments=BETWEEN, resume="latest"):
    """All events of a run that was interrupted and taken up again, and those of the first attempt."""
    spec["checkpoint"]["resume"] = resume
    before = train_here(spec, "interrupted", commands=After(segments, command))
    return train_here(spec, "interrupted"), before


def interruptions(events):
    return [(event.step, event.reason) for event in events if isinstance(event, Interrupted)]


def assert_honest(events, undisturbed):
    assert interruptions(events) or reproducible(events) == reproducible(undisturbed)


def assert_same(events, undisturbed, tmp_path):
    assert interruptions(events) == []
    assert reproducible(events) == reproducible(undisturbed)
    expected, found = last_arrays(tmp_path / "undisturbed"), last_arrays(tmp_path / "interrupted")
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


class TestExact:
    @pytest.mark.parametrize("command", ["yield", "stop"])
    def test_gives_the_numbers_of_the_undisturbed_run(self, spec, train_here, undisturbed, tmp_path, command):
        events, before = interrupt(train_here, spec, command, resume="exact")
        assert before[-1].step == 120
        assert [event.step for event in before if event.kind == "checkpoint"] == [100]
        assert_same(events, undisturbed, tmp_path)

    def test_before_the_first_checkpoint_begins_anew(self, spec, train_here, undisturbed, tmp_path):
        events, before = interrupt(train_here, spec, segments=3, resume="exact")
        assert "checkpoint" not in kinds(before)
        assert kinds(events).count("started") == 1
        assert_same(events, undisturbed, tmp_path)

    def test_the_former_rule_is_found_out(self, spec, train_here, undisturbed, tmp_path, monkeypatch):
        """It wrote a checkpoint wherever a command came."""
        current = boundary.find_due_tasks

        def former(attempt, command):
            due = current(attempt, command)
            return due._replace(checkpoint=due.checkpoint or command is not None)

        monkeypatch.setattr(boundary, "find_due_tasks", former)
        events, _ = interrupt(train_here, spec, resume="exact")
        with pytest.raises(AssertionError):
            assert_same(events, undisturbed, tmp_path)


class TestLatest:
    @pytest.mark.parametrize(("command", "reason"), [("yield", "handed_back"), ("stop", "stopped")])
    def test_keeps_all_work_and_marks_where_it_left_the_path(self, spec, train_here, undisturbed, command, reason):
        events, before = interrupt(train_here, spec, command)
        assert interruptions(before) == [], "a run that is not taken up has not left the path"
        assert interruptions(events) == [(120, reason)]
        place = kinds(events).index("interrupted")
        assert events[place - 1].kind == "started" and events[place - 1].step == 120
        found, expected = (frames_of(run, "evaluation/return") for run in (events, undisturbed))
        assert found[100] == expected[100]
        assert found[200] != expected[200], "environments restarted at step 120, so the numbers must differ"

    def test_at_a_scheduled_checkpoint_nothing_is_left(self, spec, train_here, undisturbed, tmp_path):
        events, _ = interrupt(train_here, spec, segments=AT_CHECKPOINT)
        assert_same(events, undisturbed, tmp_path)

    def test_the_mark_outlives_a_kill(self, spec, train_here):
        once, _ = interrupt(train_here, spec)
        train_here(spec, "twice", commands=After(BETWEEN, "yield"))
        with pytest.raises(ConnectionError):
            train_here(spec, "twice", commands=Crash(2, "yield"))
        twice = train_here(spec, "twice")
        assert reproducible(twice) == reproducible(once)
        assert interruptions(twice) == [(120, "handed_back")]

    def test_the_former_rule_is_found_out(self, spec, train_here, undisturbed, monkeypatch):
        """Its checkpoints did not say why they were written."""
        assert_honest(interrupt(train_here, spec)[0], undisturbed)
        write = boundary.write_arrays

        def former(run_dir, number, arrays, rank):
            kept = {name: array for name, array in arrays.items() if name != "interruption"}
            return write(run_dir, number, kept, rank)

        monkeypatch.setattr(boundary, "write_arrays", former)
        train_here(spec, "former", commands=After(BETWEEN, "yield"))
        with pytest.raises(AssertionError):
            assert_honest(train_here(spec, "former"), undisturbed)
