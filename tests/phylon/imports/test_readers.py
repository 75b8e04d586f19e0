"""Results of other programs become runs."""

import json
from pathlib import Path

import numpy as np
import pytest

from phylon.contract.imports import ImportFormat
from phylon.export.csv_format import csv_chunks
from phylon.export.metrics import metrics_table
from phylon.imports import formats
from phylon.imports.results import Final, ImportedResults, ImportRefused
from phylon.series import Series

RETURN = "evaluation/return"


def read(files: dict[str, str | bytes], return_name: str | None = None) -> ImportedResults:
    held = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return formats.read(formats.recognise(list(held)), held, return_name)


def curve(results: ImportedResults, run: int, name: str = RETURN) -> list[tuple[int, float, list[float]]]:
    series = results.runs[run].series[name]
    return list(zip(series.steps.tolist(), series.wall.tolist(), series.values.tolist(), strict=True))


def test_rows_of_a_csv_belong_to_the_run_of_their_seed():
    text = "seed,step,return,seconds,final,episodes,loss\n7,100,1.5,2,,,0.1\n3,100,2,2,,,\n7,50,1,1,4.5,20,0.2\n"
    found = read({"a.csv": text})
    assert [run.seed for run in found.runs] == [7, 3]
    assert curve(found, 0) == [(50, 1.0, [1.0]), (100, 2.0, [1.5])], "sorted by step"
    assert curve(found, 0, "loss") == [(50, 1.0, [0.2]), (100, 2.0, [0.1])]
    assert set(found.runs[1].series) == {RETURN}, "an empty cell is no value"
    assert (found.runs[0].final, found.runs[1].final) == (Final(4.5, 20), None)


def test_without_a_seed_each_csv_is_a_run():
    found = read({"b.csv": "step,score\n1,2\n", "a.csv": "step,score\n1,3\n"})
    assert [run.seed for run in found.runs] == [0, 1]
    assert (curve(found, 0), found.return_name) == ([(1, 0.0, [3.0])], "score")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed,return\n1,2\n", "no column 'step'"),
        ("seed,step,loss\n1,2,3\n", "none of the usual names of a return; its names are loss, seed, step"),
        ("step,return\n1,much\n", "return in a.csv line 2 is 'much'"),
        ("step,return\n1.5,1\n", "steps are whole numbers"),
        ("step,return\n", "no rows"),
    ],
)
def test_a_csv_that_cannot_be_read_says_where_and_why(text, words):
    with pytest.raises(ImportRefused, match=words):
        read({"a.csv": text})


def test_our_own_export_is_read_back_with_all_its_members():
    series = Series(np.array([10, 20]), np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, np.nan]]))
    speed = Series(np.array([10]), np.array([1.0]), np.array([[5.0]]))
    table = metrics_table([(RETURN, series), ("speed/env_steps_per_second", speed)], 2)
    found = read({"metrics.csv": b"".join(csv_chunks(table))})
    np.testing.assert_array_equal(found.runs[0].series[RETURN].values, series.values)
    assert found.runs[0].final is None


def test_text_files_are_a_run_per_seed_of_the_task_that_their_folder_names():
    found = read({"cheetah-run/1.txt": "5000 2.5\n10000 3\n", "cheetah-run/0.txt": "5.0e3 1\n"})
    assert [run.seed for run in found.runs] == [0, 1]
    assert (curve(found, 1), found.environment) == ([(5000, 0.0, [2.5]), (10000, 0.0, [3.0])], "cheetah-run")
    with pytest.raises(ImportRefused, match="several tasks"):
        read({"a/0.txt": "1 1", "b/0.txt": "1 1"})
    with pytest.raises(ImportRefused, match="line 1 is 'nothing'"):
        read({"0.txt": "nothing"})


def trial(name: str, parameters: dict, rows: list[dict]) -> dict[str, str]:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return {f"exp/{name}/result.json": lines, f"exp/{name}/params.json": json.dumps(parameters)}


def report(step: int, value: float) -> dict:
    return {
        **{"timesteps_total": step, "time_total_s": step / 10, "date": "2024-01-01", "done": False},
        **{"env_runners": {"episode_return_mean": value}, "config": {"lr": 1e-3}},
    }


def test_trials_of_ray_that_differ_in_their_seed_alone_are_replicates():
    files = trial("a", {"env": "Hopper-v5", "lr": 1e-3, "seed": 4}, [report(10, 1.0), report(20, 2.0)])
    files |= trial("b", {"env": "Hopper-v5", "lr": 1e-3, "seed": 5}, [report(10, 3.0)])
    found = read(files)
    assert [run.seed for run in found.runs] == [4, 5]
    assert curve(found, 0) == [(10, 1.0, [1.0]), (20, 2.0, [2.0])]
    assert (found.environment, found.settings) == ("Hopper-v5", {"lr": 1e-3})
    assert found.return_name == "env_runners/episode_return_mean"


def test_trials_of_ray_with_different_settings_are_members_of_one_run():
    files = trial("a", {"lr": 1e-3}, [report(10, 1.0), report(20, 2.0)])
    files |= {"exp/b/progress.csv": "timesteps_total,episode_reward_mean,x\n10,3.0,a\n", "exp/c/result.json": ""}
    files["exp/b/params.json"] = '{"lr": 0.1}'
    with pytest.raises(ImportRefused, match="Name the return with --return-name"):
        read(files, "env_runners/episode_return_mean")  # the second trial calls it otherwise
    files["exp/b/progress.csv"] = "timesteps_total,env_runners/episode_return_mean\n10,3.0\n"
    found = read(files)
    assert len(found.runs) == 1
    assert curve(found, 0)[0] == (10, 1.0, [1.0, 3.0])
    np.testing.assert_array_equal(found.runs[0].series[RETURN].values[1], [2.0, np.nan])


def test_formats_are_told_apart_by_names():
    assert formats.recognise(["x/progress.csv", "x/events.out.tfevents.1", "x/params.json"]) == ImportFormat.RAY
    assert formats.recognise(["x/events.out.tfevents.1", "notes.txt"]) == ImportFormat.TENSORBOARD
    assert formats.recognise(["0.txt"]) == ImportFormat.SR_SAC
    assert formats.files_of(ImportFormat.SR_SAC, ["0.txt", "notes.txt"]) == ["0.txt"]
    with pytest.raises(ImportRefused, match="none of these files is known"):
        formats.recognise([str(Path("notes.txt"))])
