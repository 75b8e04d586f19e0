"""The trainer as its launcher sees it: exit codes, commands, and a run that goes on after any death."""

import itertools
import signal
from pathlib import Path

import numpy as np
import pytest

from phylon.contract.events import Checkpoint, Failed, Metrics, Started
from phylon.run_directory import RunDirectoryBusy, RunRequest, latest_checkpoint, locked, write_run

from .runs import events_of, kinds, last_arrays, reproducible


def has_gone_on_after_checkpoint(events, count):
    """Metrics were emitted after the checkpoint, so work is lost when the trainer dies now."""
    places = [place for place, event in enumerate(events) if isinstance(event, Checkpoint)]
    return len(places) >= count and any(isinstance(event, Metrics) for event in events[places[count - 1] :])


def is_training(events):
    return any(isinstance(event, Metrics) for event in events)


@pytest.fixture
def long_spec(small_spec):
    """Long enough that a command surely comes before the end."""
    small_spec["budget"]["env_steps"] = 100_000
    return small_spec


class TestResume:
    def test_after_sigkill_equals_the_uninterrupted_run(self, small_spec, launch):
        # At step 600 an episode has ended and there were updates that no metrics event has reported yet.
        small_spec["budget"]["env_steps"] = 1200
        small_spec["checkpoint"]["interval"] = 300
        small_spec["metrics"]["interval"] = 220
        undisturbed = launch(small_spec, "undisturbed")
        assert undisturbed.end()[0] == 0

        killed = launch(small_spec, "killed")
        killed.wait_for(lambda events: has_gone_on_after_checkpoint(events, 2))
        killed.process.kill()
        assert killed.end()[0] == -signal.SIGKILL, "it was to be killed in the middle of the run"
        resumed = launch(small_spec, "killed")
        assert resumed.end()[0] == 0

        events = events_of(resumed.run_dir)
        started = [event for event in events if isinstance(event, Started)]
        assert [event.resumed for event in started] == [False, True]
        assert 600 <= started[1].step < 1200
        assert reproducible(events) == reproducible(events_of(undisturbed.run_dir))
        expected, found = last_arrays(undisturbed.run_dir), last_arrays(resumed.run_dir)
        assert found.keys() == expected.keys()
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
        assert all(earlier.wall <= later.wall for earlier, later in itertools.pairwise(events))

    def test_without_a_checkpoint_begins_afresh(self, long_spec, launch):
        long_spec["checkpoint"]["interval"] = 50_000
        first = launch(long_spec)
        first.wait_for(is_training)
        first.process.kill()
        first.end()
        second = launch(long_spec)
        events = second.wait_for(lambda events: "started" in kinds(events) and is_training(events))
        assert kinds(events).count("started") == 1
        assert not events[0].resumed


class TestCommands:
    def test_stop_ends_with_a_checkpoint(self, long_spec, launch):
        trainer = launch(long_spec)
        trainer.wait_for(is_training)
        trainer.say("stop")
        assert trainer.end()[0] == 0
        *_, checkpoint, stopped = events_of(trainer.run_dir)
        assert kinds([checkpoint, stopped]) == ["checkpoint", "stopped"]
        record = latest_checkpoint(trainer.run_dir)
        assert record and record.step == stopped.step and record.next_seq == stopped.seq

    def test_yield_ends_without_an_outcome_and_can_be_taken_up(self, long_spec, launch):
        trainer = launch(long_spec)
        trainer.wait_for(is_training)
        trainer.say("yield")
        assert trainer.end()[0] == 75
        events = events_of(trainer.run_dir)
        assert kinds(events)[-1] == "checkpoint"
        again = launch(long_spec)
        again.wait_for(lambda now: len(now) > len(events) + 1)
        again.say("stop")
        assert again.end()[0] == 0
        assert events_of(again.run_dir)[len(events)].step == events[-1].step

    def test_an_unknown_command_is_ignored(self, long_spec, launch):
        trainer = launch(long_spec)
        trainer.say("dance")
        trainer.wait_for(is_training)
        trainer.say("stop")
        code, output = trainer.end()
        assert code == 0
        assert "ignoring the unknown command b'dance'" in output

    def test_works_in_its_run_directory_and_leaves_at_once_when_the_launcher_is_gone(self, long_spec, launch):
        trainer = launch(long_spec)
        trainer.wait_for(is_training)
        assert Path(f"/proc/{trainer.process.pid}/cwd").resolve() == trainer.run_dir.resolve()  # for MUJOCO_LOG.TXT
        trainer.process.stdin.close()
        assert trainer.end()[0] == 76
        assert "stopped" not in kinds(events_of(trainer.run_dir))


class TestFailure:
    def test_a_spec_that_became_invalid(self, small_spec, launch):
        small_spec["environment"]["id"] = "Pendulum-v0"
        trainer = launch(small_spec)
        assert trainer.end()[0] == 1
        (failed,) = events_of(trainer.run_dir)
        assert isinstance(failed, Failed)
        assert "environment.id" in failed.message and failed.remedy

    def test_a_crash_is_no_outcome(self, small_spec, launch, tmp_path):
        write_run(tmp_path / "run", RunRequest(run_id=None, seed=0, spec=small_spec))
        (tmp_path / "run" / "strategy.json").write_text("{")
        trainer = launch(small_spec)
        code, output = trainer.end()
        assert code == 70
        assert "JSONDecodeError" in output
        assert not events_of(trainer.run_dir)


class TestOutput:
    def test_is_for_people(self, small_spec, launch):
        trainer = launch(small_spec)
        code, output = trainer.end()
        assert code == 0
        assert "small starts: 4 members, seed 0; the spec asks for sharded over 2 devices" in output
        assert "step 400 of 400 after" in output
        assert "best (member" in output and "median" in output


class TestLock:
    def test_keeps_a_second_trainer_out(self, tmp_path):
        with locked(tmp_path), pytest.raises(RunDirectoryBusy, match="end it first"), locked(tmp_path, 0.2):
            pass

    def test_is_free_again_afterwards(self, tmp_path):
        with locked(tmp_path):
            pass
        with locked(tmp_path, 0):
            pass
