"""`phylon export --seeds`, `phylon groups --seeds` and `phylon seeds`."""

import json
from pathlib import Path

import pytest

from phylon.contract.events import Metrics, Stopped
from phylon.run_directory import RunRequest, write_run
from phylon.spec import parse_spec, spec_to_json

DOCUMENT = {
    "environment": "Pendulum-v1",
    "algorithm": "td3",
    "population": {"size": 2, "method": "independent"},
    "budget": 1000,
}


def measured(seq: int, step: int, *returns: float) -> Metrics:
    return Metrics(kind="metrics", seq=seq, step=step, wall=1.0, frames={"evaluation/return": list(returns)})


EVENTS = [measured(0, 500, -900.0, -1000.04), measured(1, 1000, -300.0, -500.0)]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Two tasks, of four seeds and of two: 1, 2, 3, 4 and 10, 20 at step 5000."""
    for task, returns in {"hop": (1, 2, 3, 4), "run": (10, 20)}.items():
        (tmp_path / task).mkdir()
        for seed, value in enumerate(returns):
            (tmp_path / task / f"{seed}.txt").write_text(f"5000 {value}.0\n10000 {100 * value}.0\n")
    return tmp_path


def test_a_run_directory(phylon, tmp_path: Path):
    folder = tmp_path / "trained"
    write_run(folder, RunRequest(run_id=None, seed=0, spec=spec_to_json(parse_spec(DOCUMENT))))
    (folder / "events.jsonl").write_text("".join(event.model_dump_json() + "\n" for event in EVENTS))
    result = phylon("export", str(folder), "--seeds", "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert "0.txt, 1.txt" in result.stdout
    assert (tmp_path / "out" / "0.txt").read_text() == "500 -900.0\n1000 -300.0\n"
    assert (tmp_path / "out" / "1.txt").read_text() == "500 -1000.0\n1000 -500.0\n"


def test_a_run_and_a_group_on_the_service(phylon, service, client, worker, tmp_path: Path):
    document = {"kind": "group", "name": "pair", "base": DOCUMENT, "experiments": {"a": {"replicates": 2}, "b": {}}}
    group = client.submit(json.dumps(document, indent=1))
    for experiment in group.experiments:
        for run in client.experiment(experiment.id).runs:
            worker.report(run.id, worker.claim(run.id), *EVENTS, Stopped(kind="stopped", seq=2, step=1000, wall=2.0))
    url = ("--url", service.url)
    result = phylon("groups", str(group.id), "--seeds", str(tmp_path / "all"), *url)
    assert result.exit_code == 0, result.output
    written = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.glob("all/*/*.txt"))
    assert written == [*(f"all/pair-a/{seed}.txt" for seed in range(4)), "all/pair-b/0.txt", "all/pair-b/1.txt"]
    assert (tmp_path / "all/pair-a/3.txt").read_text() == "500 -1000.0\n1000 -500.0\n"
    one = client.experiment(group.experiments[1].id).runs[0]
    assert phylon("export", str(one.id), "--seeds", "--out", str(tmp_path / "one"), *url).exit_code == 0
    assert (tmp_path / "one/0.txt").read_text() == (tmp_path / "all/pair-b/0.txt").read_text()
    compared = phylon("seeds", str(tmp_path / "all"))
    assert "6 seeds in 2 directories" in compared.stdout and "mean -400" in compared.stdout


def test_numbers_of_a_group(phylon, tasks: Path):
    result = phylon("seeds", str(tasks / "hop"), str(tasks / "run"), "--step", "5000", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [each["returns"] for each in found["directories"]] == [[1, 2, 3, 4], [10, 20]]
    assert found["mean"]["value"] == pytest.approx((2.5 + 15) / 2)  # every task weighs the same
    assert found["interquartile_mean"]["value"] == pytest.approx((2 + 3 + 4 + 10) / 4)  # of all but 1 and 20
    assert found["mean"]["low"] < found["mean"]["value"] < found["mean"]["high"]


def test_words_for_people(phylon, tasks: Path):
    result = phylon("seeds", str(tasks))
    assert result.exit_code == 0
    assert "interquartile mean 475" in result.stdout and "6 seeds in 2 directories" in result.stdout


def test_nothing_to_compare(phylon, tasks: Path, tmp_path: Path):
    result = phylon("seeds", str(tasks), "--step", "1")
    assert result.exit_code == 2 and "no seed has a return at step 1" in result.stderr
    (tmp_path / "empty").mkdir()
    for place in ("empty", "missing"):
        result = phylon("seeds", str(tmp_path / place))
        assert result.exit_code == 2 and "holds no files such as 0.txt" in result.stderr
    (tasks / "hop" / "2.txt").write_text("rubbish\n")
    result = phylon("seeds", str(tasks))
    assert result.exit_code == 2 and "2.txt line 1 is 'rubbish'" in result.stderr


def test_a_group_must_be_named(phylon):
    result = phylon("groups", "--seeds", "somewhere")
    assert result.exit_code == 2 and "--seeds needs the number of a group" in result.stderr
