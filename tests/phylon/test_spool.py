"""The spool reader follows a file that grows, breaks off in the middle of a line, and is cut back."""

import math
from pathlib import Path

import pytest

from phylon.contract.events import Metrics, RunEvent, Started, Stopped
from phylon.spool import SpoolDamaged, SpoolReader, SpoolWriter, cut_spool


def started(seq: int, resumed: bool = False) -> Started:
    return Started(
        kind="started", seq=seq, step=0, wall=0.0, resumed=resumed, strategy="sharded", explanation="asked for",
        devices=["cpu:0"], versions={"jax": "0"}, parameters=10,
    )  # fmt: skip


def metrics(seq: int, value: float, wall: float = 0.0) -> Metrics:
    return Metrics(kind="metrics", seq=seq, step=seq * 100, wall=wall, frames={"evaluation/return": [value, value]})


def lines(*events: RunEvent) -> str:
    return "".join(event.model_dump_json() + "\n" for event in events)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def test_missing_file_is_empty_then_grows(spool: Path):
    reader = SpoolReader(spool)
    assert reader.read() == []
    spool.write_text(lines(started(0)))
    assert [event.seq for event in reader.read()] == [0]
    assert reader.read() == []
    with spool.open("a") as file:
        file.write(lines(metrics(1, 1.0), metrics(2, 2.0)))
    assert [event.seq for event in reader.read()] == [1, 2]
    assert reader.next_seq == 3


def test_half_a_line_waits_for_its_other_half(spool: Path):
    text = lines(started(0), metrics(1, 5.0))
    reader = SpoolReader(spool)
    seen: list[int] = []
    for end in range(0, len(text) + 1, 7):
        spool.write_text(text[:end])
        seen += [event.seq for event in reader.read()]
    spool.write_text(text)
    seen += [event.seq for event in reader.read()]
    assert seen == [0, 1]


def test_starts_at_a_number_and_obeys_the_limit(spool: Path):
    spool.write_text(lines(started(0), *(metrics(seq, float(seq)) for seq in range(1, 10))))
    reader = SpoolReader(spool, next_seq=4)
    assert reader.next_seq == 4
    assert [event.seq for event in reader.read(limit=2)] == [4, 5]
    assert reader.next_seq == 6
    assert [event.seq for event in reader.read()] == [6, 7, 8, 9]


def test_not_a_number_and_infinity_survive(spool: Path):
    spool.write_text(
        lines(metrics(0, float("nan")).model_copy(update={"frames": {"x": [float("nan"), float("-inf")]}}))
    )
    (event,) = SpoolReader(spool).read()
    assert isinstance(event, Metrics)
    assert event.frames["x"][0] != event.frames["x"][0]
    assert event.frames["x"][1] == float("-inf")


@pytest.mark.parametrize("new_events", [1, 20], ids=["shorter than before", "longer than before"])
def test_a_cut_spool_is_read_from_its_newest_start(spool: Path, new_events: int):
    first = [started(0), *(metrics(seq, 1.0) for seq in range(1, 8))]
    spool.write_text(lines(*first))
    reader = SpoolReader(spool)
    assert len(reader.read()) == 8
    resumed = [started(3, resumed=True), *(metrics(4 + i, 2.0, wall=9.0) for i in range(new_events))]
    spool.write_text(lines(*first[:3], *resumed))
    assert reader.read() == resumed
    assert reader.read() == []


def test_a_cut_spool_that_came_from_another_worker(spool: Path):
    """Blank lines stand for events that were reported elsewhere."""
    spool.write_text("\n\n" + lines(started(2), metrics(3, 1.0), metrics(4, 2.0)))
    reader = SpoolReader(spool, next_seq=2)
    assert [event.seq for event in reader.read()] == [2, 3, 4]
    spool.write_text("\n\n\n" + lines(started(3, resumed=True)))
    assert [event.seq for event in reader.read()] == [3]


def test_a_damaged_line_names_file_and_line(spool: Path):
    spool.write_text(lines(started(0)) + "garbage\n")
    with pytest.raises(SpoolDamaged, match=r"events\.jsonl line 2 is not an event.*garbage"):
        SpoolReader(spool).read()


def test_a_gap_is_damage(spool: Path):
    spool.write_text(lines(started(0), metrics(2, 1.0)))
    with pytest.raises(SpoolDamaged, match="line 2 holds event 2"):
        SpoolReader(spool).read()


class TestWriting:
    """Events on disk: in order, whole, and able to say what JSON cannot."""

    def test_an_event_can_be_read_at_once(self, tmp_path):
        path = tmp_path / "events.jsonl"
        with SpoolWriter(path, 0) as spool:
            spool.append(Stopped(kind="stopped", seq=0, step=5, wall=1.5))
            assert SpoolReader(path).read() == [Stopped(kind="stopped", seq=0, step=5, wall=1.5)]
            assert spool.next_seq == 1

    def test_numbers_that_json_lacks_survive(self, tmp_path):
        path = tmp_path / "events.jsonl"
        values = [math.nan, math.inf, -math.inf, 0.1]
        with SpoolWriter(path, 0) as spool:
            spool.append(Metrics(kind="metrics", seq=0, step=0, wall=0.0, frames={"loss": values}))
        (event,) = SpoolReader(path).read()
        assert str(event.frames["loss"]) == str(values)

    @pytest.mark.parametrize("seq", [0, 2])
    def test_a_gap_or_a_repetition_is_refused(self, tmp_path, seq):
        with SpoolWriter(tmp_path / "events.jsonl", 1) as spool, pytest.raises(ValueError, match="waits for 1"):
            spool.append(Stopped(kind="stopped", seq=seq, step=0, wall=0.0))
        assert (tmp_path / "events.jsonl").read_bytes() == b""

    def test_a_cut_spool_goes_on_at_its_number(self, spool: Path):
        spool.write_text(lines(started(0), metrics(1, 1.0), metrics(2, 1.0)) + "half a li")
        cut_spool(spool, 2)
        assert spool.read_text() == lines(started(0), metrics(1, 1.0))
        cut_spool(spool, 4)
        assert spool.read_text() == lines(started(0), metrics(1, 1.0)) + "\n\n", "blank for what is elsewhere"
        cut_spool(spool, 0)
        assert spool.read_text() == ""
