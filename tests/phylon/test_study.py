"""The file of a study: appended to, cut short by a kill, damaged; and its table."""

from pathlib import Path

import pytest

from phylon.spec import parse_study
from phylon.study import Machine, Study, StudyDamaged, append, begin, cell_of, measured, read, unmeasured
from phylon.study_table import default_baseline, rows, to_csv

SPEC = parse_study(
    {
        "version": 1,
        "name": "small",
        "kind": "runtime_study",
        "algorithms": ["td3"],
        "frameworks": ["jax", "torch"],
        "strategies": ["sequential", "vectorized"],
        "population_sizes": [1, 2],
    }
)
MACHINE = Machine(device="cpu", device_name="a chip", device_count=1, cores=2, memory_bytes=8, versions={"jax": "1"})
CELLS = SPEC.cells()
FOUND = [
    measured(CELLS[0], [1.0, 2.0, 3.0, 4.0, 5.0], 10, 0.5, 1000, 1, None),
    unmeasured(CELLS[1], "out_of_memory", "2 GB were not enough"),
    measured(CELLS[2], [6.0, 6.0], 1, 0.5, None, 1, "note"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    begin(tmp_path / "study.jsonl", SPEC, MACHINE)
    return tmp_path / "study.jsonl"


def test_what_was_appended_is_read_again(file: Path):
    assert read(file) == Study(spec=SPEC, machine=MACHINE, measurements=())
    append(file, FOUND[:2])
    append(file, FOUND[2:])
    study = read(file)
    assert list(study.measurements) == FOUND
    assert [cell_of(measurement) for measurement in study.measurements] == list(CELLS[:3])


def test_half_a_line_is_not_there_and_is_written_over(file: Path):
    append(file, FOUND[:1])
    with file.open("ab") as handle:
        handle.write(b'{"algorithm": "td3", "frame')
    assert list(read(file).measurements) == FOUND[:1]
    append(file, FOUND[1:])
    assert list(read(file).measurements) == FOUND


@pytest.mark.parametrize("line", [b"{}\n", b"not json\n"])
def test_a_damaged_line_is_told_by_its_number(file: Path, line: bytes):
    with file.open("ab") as handle:
        handle.write(line)
    with pytest.raises(StudyDamaged, match="line 2"):
        read(file)


def test_an_empty_file_is_no_study(tmp_path: Path):
    (tmp_path / "study.jsonl").write_bytes(b"")
    with pytest.raises(StudyDamaged, match="no complete line"):
        read(tmp_path / "study.jsonl")


def test_quartiles_lie_within_the_repeats():
    assert (FOUND[0].low, FOUND[0].median, FOUND[0].high) == (2.0, 3.0, 4.0)
    assert (FOUND[2].low, FOUND[2].median, FOUND[2].high) == (6.0, 6.0, 6.0)


def test_speedups_are_against_the_same_work_only():
    assert default_baseline(FOUND) == "torch sequential"
    assert [row.speedup for row in rows(FOUND, "torch sequential")] == [2.0, None, 1.0]
    assert [row.speedup for row in rows(FOUND, "jax vectorized")] == [None, None, None]
    other_work = measured(CELLS[4], [1.0, 1.0], 1, 0.5, None, 1, None)
    assert rows([*FOUND, other_work], "torch sequential")[-1].speedup is None
    header, first, second, _ = to_csv(FOUND, "torch sequential").splitlines()
    assert dict(zip(header.split(","), first.split(","), strict=True))["speedup"] == "2.0"
    assert "out_of_memory" in second and "256x256" in second
