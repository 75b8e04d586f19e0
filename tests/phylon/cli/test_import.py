"""`phylon import`, against the real service."""

from pathlib import Path

import pytest

from phylon import Client
from phylon.imports.collecting import MOST_BYTES, collect
from phylon.imports.results import ImportRefused


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """SR-SAC's: two tasks with two seeds each, and something else beside them."""
    for task, value in (("cheetah-run", 1.0), ("walker-walk", 2.0)):
        (tmp_path / "results" / task).mkdir(parents=True)
        for seed in range(2):
            (tmp_path / "results" / task / f"{seed}.txt").write_text(f"1000 {value}\n2000 {value + seed}\n")
    (tmp_path / "results" / "notes.md").write_text("theirs")
    return tmp_path / "results"


def test_a_directory_per_task_is_an_experiment_each(phylon, client: Client, tasks: Path):
    result = phylon("import", str(tasks), "--name", "paper", "--algorithm", "sr-sac", "--url", client.url)
    assert result.exit_code == 0, result.output
    assert "2 runs on cheetah-run of sr_sac" in result.output and "mean last return 1.5" in result.output
    rows = client.experiments(query="imported = sr_sac", sort="name")
    assert [(row.name, row.environment, row.algorithm) for row in rows[:2]] == [
        ("paper-cheetah-run", "cheetah-run", "sr-sac"),
        ("paper-walker-walk", "walker-walk", "sr-sac"),
    ]
    compared = client.compare([rows[0].id])
    assert [replicate.value for replicate in compared.arms[0].replicates] == [1.0, 2.0]
    table = client.table(rows[0].id)
    assert table.select(["seed", "step", "value"]).to_pydict() == {
        "seed": [0, 0, 1, 1],
        "step": [1000, 2000, 1000, 2000],
        "value": [1.0, 1.0, 1.0, 2.0],
    }
    frame = client.frame(rows[0].id)
    assert frame.groupby("run")["value"].last().tolist() == [1.0, 2.0]
    assert client.table(rows[0].id, "lineage").num_rows == 0, "nobody knows who descends from whom"


def test_a_path_without_results_is_refused_before_anything_is_sent(phylon, tmp_path: Path, tasks: Path):
    assert "there is nothing at" in phylon("import", str(tmp_path / "no")).output
    assert "choose one of auto, csv, sr_sac, ray, tensorboard" in phylon("import", "x", "--format", "xls").output
    (tmp_path / "notes.md").write_text("x")
    assert "none of these files is known" in phylon("import", str(tmp_path / "notes.md")).output
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ImportRefused, match="more than the 45 MB"):
        collect(large, None)
    assert [each.suffix for each in collect(tasks, None)] == ["cheetah-run", "walker-walk"]
