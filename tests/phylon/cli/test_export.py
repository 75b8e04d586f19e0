"""`phylon export` of a directory and of the real service: the same files, whichever of them holds the run."""

import csv
import json
import math
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from phylon.run_directory import RunRequest, write_run
from phylon.spec import spec_to_json

TABLES = [f"{name}.{format}" for name in ("interruptions", "lineage", "metrics") for format in ("csv", "parquet")]
FILES = [*TABLES, "lineage.json"]
DIRECTORIES = ["member-00", "member-01", "member-02", "member-03", "population"]
EVERY_FORMAT = ("--csv", "--parquet", "--tensorboard")


@pytest.fixture
def folder(recorded_run, tmp_path: Path) -> Path:
    """As `phylon train` leaves it."""
    folder = tmp_path / "trained"
    write_run(folder, RunRequest(run_id=None, seed=0, spec=spec_to_json(recorded_run.spec)))
    lines = [event.model_dump_json() + "\n" for event in recorded_run.events]
    (folder / "events.jsonl").write_text("".join(lines))
    return folder


def scalars(folder: Path) -> dict[str, dict[str, list[tuple[int, str]]]]:
    """Steps and values; NaN equals itself as text."""
    found: dict[str, dict[str, list[tuple[int, str]]]] = {}
    for place in sorted(folder.glob("*/")):
        reader = EventAccumulator(str(place), size_guidance={"scalars": 0})
        reader.Reload()
        found[place.name] = {
            tag: [(event.step, repr(event.value)) for event in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]
        }
    return found


def test_a_directory_and_the_service_give_the_same(phylon, service, client, worker, recorded_run, folder, tmp_path):
    run = client.submit(recorded_run.spec).runs[0]
    attempt = worker.claim(run.id)
    worker.report(run.id, attempt, *recorded_run.events)
    here, there = tmp_path / "here", tmp_path / "there"
    assert phylon("export", str(folder), "--out", str(here), *EVERY_FORMAT).exit_code == 0
    result = phylon("export", str(run.id), "--out", str(there), *EVERY_FORMAT, "--url", service.url)
    assert result.exit_code == 0, result.output
    assert f"tensorboard --logdir {there}" in result.stdout
    assert sorted(path.name for path in there.iterdir()) == sorted(FILES + DIRECTORIES)
    for name in ("metrics.csv", "lineage.csv", "interruptions.csv"):
        assert (here / name).read_bytes() == (there / name).read_bytes()
    for name in ("metrics.parquet", "lineage.parquet"):
        # As text, in which NaN equals itself.
        assert repr(pyarrow.parquet.read_table(here / name).to_pylist()) == repr(
            pyarrow.parquet.read_table(there / name).to_pylist()
        )
    assert json.loads((here / "lineage.json").read_text()) == json.loads((there / "lineage.json").read_text())
    assert scalars(here) == scalars(there)
    assert list(scalars(here)) == DIRECTORIES
    reader = EventAccumulator(str(there / "member-00"))
    reader.Reload()
    started = client.run(run.id).started_at
    assert started and reader.Scalars("evaluation/return")[0].wall_time == started.timestamp() + 10.25


def test_without_a_format_it_is_csv_beside_the_run(phylon, folder: Path):
    assert phylon("export", str(folder)).exit_code == 0
    assert sorted(path.name for path in folder.iterdir() if path.suffix in (".csv", ".parquet")) == [
        "interruptions.csv", "lineage.csv", "metrics.csv",
    ]  # fmt: skip
    with (folder / "metrics.csv").open(newline="") as file:
        values = [float(row["value"]) for row in csv.DictReader(file) if row["name"] == "evaluation/return"]
    assert values[0] == 2.5 and math.isnan(values[1])


def test_tensorboard_alone_writes_event_files_alone(phylon, folder: Path, tmp_path: Path):
    assert phylon("export", str(folder), "--tensorboard", "--out", str(tmp_path / "board")).exit_code == 0
    assert sorted(path.name for path in (tmp_path / "board").iterdir()) == DIRECTORIES


def test_a_run_that_has_measured_nothing_yet(phylon, service, client, recorded_run, tmp_path: Path):
    run = client.submit(recorded_run.spec).runs[0]
    out = ("--out", str(tmp_path), "--url", service.url)
    assert phylon("export", str(run.id), *EVERY_FORMAT, *out).exit_code == 0
    assert (tmp_path / "metrics.csv").read_text() == "name,step,wall_seconds,member,value\n"


def test_an_unknown_run(phylon, service, tmp_path: Path):
    result = phylon("export", "999999", "--out", str(tmp_path / "none"), "--url", service.url)
    assert result.exit_code == 2 and "There is no run 999999" in result.stderr
    assert not (tmp_path / "none").exists()


def test_nobody_there(phylon):
    assert phylon("export", "1").exit_code == 3


class TestDirectoriesThatHoldNoRun:
    def test_something_else(self, phylon, tmp_path: Path):
        for place in (tmp_path, tmp_path / "missing"):
            result = phylon("export", str(place))
            assert result.exit_code == 2 and "name a directory that `phylon train` wrote" in result.stderr

    def test_several_replicates(self, phylon, recorded_run, tmp_path: Path):
        write_run(tmp_path / "replicate-0", RunRequest(run_id=None, seed=0, spec=spec_to_json(recorded_run.spec)))
        result = phylon("export", str(tmp_path))
        assert result.exit_code == 2 and f"such as {tmp_path / 'replicate-0'}" in result.stderr

    def test_a_damaged_spool(self, phylon, folder: Path):
        (folder / "events.jsonl").write_text("{}\n")
        result = phylon("export", str(folder))
        assert result.exit_code == 2 and "events.jsonl line 1 is not an event" in result.stderr


def test_without_pyarrow_the_remedy_is_named(phylon, folder: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = phylon("export", str(folder), "--parquet")
    assert result.exit_code == 1 and "pip install 'phylon[export]'" in result.stderr
    assert not list(folder.glob("*.p*rt*")), "nothing half-written is left"
