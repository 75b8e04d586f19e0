"""`phylon explain` of a directory and of the real service."""

import json
from pathlib import Path

import pytest

from phylon.contract.events import Metrics
from phylon.contract.explanations import Explanation
from phylon.run_directory import RunRequest, write_run
from phylon.spec import spec_to_json


@pytest.fixture
def events(recorded_run):
    frames = {"evaluation/return": [3.0, 7.5, 1.0, 0.0]}
    return [*recorded_run.events, Metrics(kind="metrics", seq=7, step=49_152, wall=30.0, frames=frames)]


@pytest.fixture
def folder(recorded_run, events, tmp_path: Path) -> Path:
    folder = tmp_path / "trained"
    write_run(folder, RunRequest(run_id=None, seed=0, spec=spec_to_json(recorded_run.spec)))
    (folder / "events.jsonl").write_text("".join(event.model_dump_json() + "\n" for event in events))
    return folder


def test_for_people(phylon, folder: Path):
    result = phylon("explain", str(folder))
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert "importance cannot be said" in shown and "are needed" in shown
    assert "selection noise:" in shown


def test_the_service_says_the_same(phylon, service, client, worker, recorded_run, events, folder):
    run = client.submit(recorded_run.spec).runs[0]
    worker.report(run.id, worker.claim(run.id), *events)
    here, there = (
        phylon("explain", str(folder), "--json"),
        phylon("explain", str(run.id), "--json", "--url", service.url),
    )
    assert (here.exit_code, there.exit_code) == (0, 0), there.output
    one, other = json.loads(here.stdout), json.loads(there.stdout)
    assert other["run_ids"] == [run.id]
    for span in (*other["spans"], *other["noise"]["donors"]):
        span["run_id"] = None
    assert one | {"run_ids": [run.id]} == other
    assert Explanation.model_validate(one).noise.copies > 0


def test_no_run_there(phylon, tmp_path):
    result = phylon("explain", str(tmp_path))
    assert result.exit_code != 0 and "holds no run" in result.output
