"""Event files, read by TensorBoard's own reader."""

import math
import struct
from pathlib import Path

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from phylon.export.event_records import checksums, scalar_records, version_record
from phylon.export.metrics import series_of_events
from phylon.export.tensorboard import write_event_files
from phylon.series import Series

BEGAN = 1_700_000_000.25
NAN = math.nan


def read(folder: Path) -> dict[str, list[tuple[float, int, float]]]:
    reader = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    reader.Reload()
    return {
        tag: [(event.wall_time, event.step, event.value) for event in reader.Scalars(tag)]
        for tag in reader.Tags()["scalars"]
    }


def test_the_reader_reads_exactly_what_was_measured(recorded_run, tmp_path: Path):
    written = write_event_files(tmp_path, series_of_events(recorded_run.events), 4, BEGAN)
    assert written == ["member-00", "member-01", "member-02", "member-03", "population"]
    assert read(tmp_path / "member-00") == {
        "evaluation/return": [
            (BEGAN + 10.25, 16_384, 2.5),
            (BEGAN + 20.0, 32_768, pytest.approx(NAN, nan_ok=True)),
        ],
        "training/value_loss": [
            (BEGAN + 0.5, 100, float(np.float32(0.1))),
            (BEGAN + 12.0, 20_000, float(np.float32(123456789.0))),
        ],
    }
    last = read(tmp_path / "member-03")
    assert last["evaluation/return"][0][2] == -math.inf
    assert last["training/value_loss"][0][2] == math.inf
    population = read(tmp_path / "population")
    assert population["time/update"] == [(BEGAN + 0.5, 100, float(np.float32(1 / 3))), (BEGAN + 12.0, 20_000, 0.25)]
    assert population["evaluation/return/best"][0] == (BEGAN + 10.25, 16_384, 2.5)
    assert population["evaluation/return/median"][0] == (BEGAN + 10.25, 16_384, 1.0)
    assert math.isnan(population["evaluation/return/best"][1][2])
    assert set(population) == {"time/update", "evaluation/return/best", "evaluation/return/median"}


def test_numbers_of_every_length(tmp_path: Path):
    """Steps take one to nine bytes, and names longer than 127 bytes have lengths of two."""
    steps = np.array([0, 1, 127, 128, 16_383, 16_384, 2**31, 2**40, 2**62], np.int64)
    name = "training/" + "é" * 80
    series = Series(steps, np.linspace(0.0, 8.0, 9), np.arange(9.0)[:, None])
    write_event_files(tmp_path, [(name, series)], 1, BEGAN)
    assert read(tmp_path / "member-00") == {
        name: [(BEGAN + place, step, float(place)) for place, step in enumerate(steps.tolist())]
    }


def test_an_export_replaces_the_one_before(recorded_run, tmp_path: Path):
    write_event_files(tmp_path, series_of_events(recorded_run.events), 4, BEGAN)
    (tmp_path / "member-00" / "events.out.tfevents.others").write_bytes(b"")
    one = Series(np.array([5]), np.array([1.0]), np.array([[1.0, 2.0]]))
    assert write_event_files(tmp_path, [("evaluation/return", one)], 2, 0.0) == ["member-00", "member-01", "population"]
    assert read(tmp_path / "member-01") == {"evaluation/return": [(1.0, 5, 2.0)]}
    assert (tmp_path / "member-00" / "events.out.tfevents.others").exists(), "what is not ours is left alone"


def test_many_members_sort_by_name(tmp_path: Path):
    wide = Series(np.array([5]), np.array([1.0]), np.zeros((1, 101)))
    written = write_event_files(tmp_path, [("training/return", wide)], 101, 0.0)
    assert (written[0], written[-1]) == ("member-000", "member-100")


def test_the_checksum_is_that_of_the_standard():
    """CRC-32C of the digits 1 to 9 is 0xE3069283 (RFC 3720's polynomial); masked as TFRecord does."""
    crc = 0xE3069283
    masked = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
    digits = np.frombuffer(b"123456789", np.uint8)[None]
    assert struct.unpack("<I", checksums(digits).tobytes())[0] == masked


def test_a_damaged_record_is_noticed(tmp_path: Path):
    """The reader checks our checksums, so the tests above would fail if they were wrong."""
    record = scalar_records("a", np.array([1]), np.array([1.0]), np.array([1.0], np.float32))
    file = tmp_path / "events.out.tfevents.x"
    file.write_bytes(version_record(0.0) + record)
    assert read(tmp_path) == {"a": [(1.0, 1, 1.0)]}
    file.write_bytes(version_record(0.0) + record[:-1] + bytes([record[-1] ^ 1]))
    assert read(tmp_path) == {}
