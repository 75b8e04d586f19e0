"""`phylon lineage` and `phylon schedule` of a directory, of the real service, and of Ray's logs."""

import json
from pathlib import Path

import pytest
import yaml

from phylon.contract.events import Metrics
from phylon.contract.lineage import RunLineage
from phylon.run_directory import RunRequest, write_run
from phylon.spec import spec_to_json
from phylon.spec.schedule_method import ScheduleSpec


@pytest.fixture
def events(recorded_run):
    """Evaluated once more, so that somebody wins: slot 1, which copied slot 0."""
    frames = {"evaluation/return": [3.0, 7.5, 1.0, 0.0]}
    return [*recorded_run.events, Metrics(kind="metrics", seq=7, step=49_152, wall=30.0, frames=frames)]


@pytest.fixture
def folder(recorded_run, events, tmp_path: Path) -> Path:
    folder = tmp_path / "trained"
    write_run(folder, RunRequest(run_id=None, seed=0, spec=spec_to_json(recorded_run.spec)))
    (folder / "events.jsonl").write_text("".join(event.model_dump_json() + "\n" for event in events))
    return folder


def test_a_table_for_people(phylon, folder: Path):
    result = phylon("lineage", str(folder))
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert "founders alive 3 of 4: m0 50%, m2 25%, m3 25%" in shown
    assert "winner m1 with 7.5 at step 49,152" in shown
    assert "m1.s4 1 16,384 perturb 0.00012 crop" in shown
    assert "m0.s0 → m0.s5 from step 0" in shown


def test_the_service_tells_the_same(phylon, service, client, worker, recorded_run, events, folder):
    run = client.submit(recorded_run.spec).runs[0]
    worker.report(run.id, worker.claim(run.id), *events)
    for command in (("lineage",), ("lineage", "--format", "newick"), ("schedule",)):
        here = phylon(*command, str(folder))
        there = phylon(*command, str(run.id), "--url", service.url)
        assert (here.exit_code, there.exit_code) == (0, 0), there.output
        assert here.stdout == there.stdout
    assert client.lineage_summary(run.id).winner.member == 1


def test_json_holds_all_of_it(phylon, folder: Path, tmp_path: Path):
    assert phylon("lineage", str(folder), "--format", "json", "--out", str(tmp_path / "all.json")).exit_code == 0
    exported = json.loads((tmp_path / "all.json").read_text())
    assert len(RunLineage.model_validate(exported).spans) == 6
    assert exported["summary"]["winner"]["ancestry"] == [0, 4]


def test_schedules(phylon, folder: Path):
    method = ScheduleSpec.model_validate(yaml.safe_load(phylon("schedule", str(folder)).stdout))
    assert [(entry.step, entry.values) for entry in method.schedule] == [
        (0, {"learning_rate": 1e-4, "augmentation": "crop"}),
        (16_384, {"learning_rate": 1.2e-4, "augmentation": "crop"}),
    ]
    chosen = yaml.safe_load(phylon("schedule", str(folder), "--member", "3").stdout)
    assert chosen["schedule"] == [{"step": 0, "values": {"learning_rate": 4e-4, "augmentation": "flip"}}]


def test_ray_there_and_back(phylon, folder: Path, tmp_path: Path):
    logs = tmp_path / "logs"
    assert phylon("lineage", str(folder), "--format", "ray", "--out", str(logs)).exit_code == 0
    assert sorted(path.name for path in logs.iterdir()) == ["pbt_global.txt", "pbt_policy_1.txt"]
    result = phylon("lineage", "--import-ray", str(logs))
    assert "m1.s2" in result.stdout and "Ray records neither fitness" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lineage"], "name either a run or"),
        (["lineage", "1", "--import-ray", "."], "name either a run or"),
        (["lineage", "--import-ray", "missing"], "is no folder"),
        (["lineage", "--import-ray", "."], "neither pbt_global.txt nor"),
        (["lineage", "FOLDER", "--out", "x"], "a table goes to the terminal"),
        (["lineage", "FOLDER", "--format", "ray"], "name a directory with --out"),
        (["schedule", "FOLDER", "--member", "9"], "members are numbered from 0 to 3"),
        (["schedule", "FOLDER", "--member", "worst"], "'best' or a number"),
    ],
)
def test_wrong_input(phylon, folder: Path, tmp_path: Path, monkeypatch, arguments: list[str], message: str):
    monkeypatch.chdir(tmp_path)
    result = phylon(*(str(folder) if word == "FOLDER" else word for word in arguments))
    assert result.exit_code == 2 and message in result.stderr
