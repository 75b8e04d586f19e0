"""Events on disk: in order, whole, and able to say what JSON cannot."""

import math

import pytest

from phylon.contract.events import Metrics, Stopped
from phylon.spool import SpoolReader, SpoolWriter


def test_an_event_can_be_read_at_once(tmp_path):
    path = tmp_path / "events.jsonl"
    with SpoolWriter(path, 0) as spool:
        spool.append(Stopped(kind="stopped", seq=0, step=5, wall=1.5))
        assert SpoolReader(path).read() == [Stopped(kind="stopped", seq=0, step=5, wall=1.5)]
        assert spool.next_seq == 1


def test_numbers_that_json_lacks_survive(tmp_path):
    path = tmp_path / "events.jsonl"
    values = [math.nan, math.inf, -math.inf, 0.1]
    with SpoolWriter(path, 0) as spool:
        spool.append(Metrics(kind="metrics", seq=0, step=0, wall=0.0, frames={"loss": values}))
    (event,) = SpoolReader(path).read()
    assert str(event.frames["loss"]) == str(values)


@pytest.mark.parametrize("seq", [0, 2])
def test_a_gap_or_a_repetition_is_refused(tmp_path, seq):
    with SpoolWriter(tmp_path / "events.jsonl", 1) as spool, pytest.raises(ValueError, match="waits for 1"):
        spool.append(Stopped(kind="stopped", seq=seq, step=0, wall=0.0))
    assert (tmp_path / "events.jsonl").read_bytes() == b""
