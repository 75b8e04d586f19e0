"""Text files per seed: written as SR-SAC's code writes them, and read from what it published."""

import numpy as np
import pytest

from phylon.export.seed_files import SeedFileDamaged, read_seed_files, scores_at, write_seed_files
from phylon.series import Series

PUBLISHED = {"0.txt": "5000 1.0\n10000 20.5\n15000 300.0\n", "1.txt": "5000 0.0\n10000 10.5\n"}
"""Two seeds of which the second stopped early, as some published ones did."""


@pytest.fixture
def published(tmp_path):
    for name, text in PUBLISHED.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "notes.txt").write_text("not a seed\n")
    return tmp_path


def run(*members, steps=(5000, 10_000)):
    return Series(np.array(steps), np.array(steps) / 10.0, np.array(members, np.float64).T)


def test_reads_what_was_published(published):
    seeds = read_seed_files(published)
    assert list(seeds) == [0, 1]
    assert seeds[0].steps.tolist() == [5000, 10_000, 15_000]
    assert seeds[0].returns.tolist() == [1.0, 20.5, 300.0]
    assert scores_at(seeds, 10_000).tolist() == [20.5, 10.5]
    assert scores_at(seeds, 15_000).tolist() == [300.0]
    assert scores_at(seeds, None).tolist() == [300.0, 10.5]
    assert scores_at(seeds, 7).tolist() == []


def test_each_independent_member_is_a_seed(tmp_path):
    runs = [run([1.25, 2.0], [-3.04, 1e6]), run([5.0, 6.0], [7.0, np.nan])]
    assert write_seed_files(tmp_path, runs, "independent") == ["0.txt", "1.txt", "2.txt", "3.txt"]
    assert (tmp_path / "0.txt").read_text() == "5000 1.2\n10000 2.0\n"
    assert (tmp_path / "1.txt").read_text() == "5000 -3.0\n10000 1000000.0\n"
    assert (tmp_path / "3.txt").read_text() == "5000 7.0\n10000 nan\n"
    assert scores_at(read_seed_files(tmp_path), None).tolist() == [2.0, 1e6, 6.0]


@pytest.mark.parametrize("method", ["pbt", "of a plug-in that is gone"])
def test_members_that_copy_each_other_are_one_sample(tmp_path, method):
    assert write_seed_files(tmp_path, [run([1.0, 9.0], [3.0, np.nan])], method) == ["0.txt"]
    assert (tmp_path / "0.txt").read_text() == "5000 3.0\n10000 9.0\n"


def test_what_is_read_is_what_was_written(tmp_path):
    values = np.round(np.random.default_rng(0).normal(500, 300, (3, 40)), 1)
    steps = tuple(range(5000, 205_000, 5000))
    write_seed_files(tmp_path, [run(*values, steps=steps)], "independent")
    found = read_seed_files(tmp_path)
    np.testing.assert_allclose([found[seed].returns for seed in range(3)], values, atol=1e-9)
    assert found[2].steps.tolist() == list(steps)


def test_files_of_an_earlier_export_do_not_stay(published):
    write_seed_files(published, [run([1.0, 2.0])], "independent")
    assert sorted(file.name for file in published.iterdir()) == ["0.txt", "notes.txt"]


@pytest.mark.parametrize("line", ["5000", "5000 1 2", "step return", "5000 high"])
def test_anything_else_is_refused_with_its_place(tmp_path, line):
    (tmp_path / "4.txt").write_text(f"5000 1.0\n{line}\n")
    with pytest.raises(SeedFileDamaged, match=r"4\.txt line 2 is .*not 'step return'"):
        read_seed_files(tmp_path)


def test_an_empty_file_has_no_score(tmp_path):
    (tmp_path / "0.txt").write_text("")
    assert scores_at(read_seed_files(tmp_path), None).size == 0
