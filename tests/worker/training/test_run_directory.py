"""What survives in a run directory, and to which event its history is cut back."""

import hashlib
import json
import subprocess
import sys

import pytest

from phylon.contract.events import Stopped
from phylon.run_directory import (
    CheckpointRecord,
    RunRequest,
    checkpoint_records,
    checkpoints_dir,
    install_checkpoint,
    latest_checkpoint,
    read_run,
    record_checkpoint,
    rewind,
    spool_path,
    write_run,
)
from phylon.spool import SpoolReader, SpoolWriter


@pytest.fixture
def run_dir(tmp_path, small_spec):
    write_run(tmp_path / "run", RunRequest(run_id=3, seed=5, spec=small_spec))
    return tmp_path / "run"


def add_checkpoint(run_dir, number, next_seq, content=b"arrays"):
    file = f"{number:06d}.npz"
    (checkpoints_dir(run_dir) / file).write_bytes(content)
    record = CheckpointRecord(
        number=number,
        step=number * 20,
        next_seq=next_seq,
        sha256=hashlib.sha256(content).hexdigest(),
        bytes=len(content),
        file=file,
    )
    record_checkpoint(run_dir, record)
    return record


def write_events(run_dir, first, count):
    with SpoolWriter(spool_path(run_dir), first) as spool:
        for seq in range(first, first + count):
            spool.append(Stopped(kind="stopped", seq=seq, step=seq, wall=0.0))


def test_is_free_of_jax():
    """The supervisor imports it in a process that must never load JAX."""
    code = "import sys, phylon.run_directory; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_run_comes_back_as_written(run_dir, small_spec):
    assert read_run(run_dir) == RunRequest(run_id=3, seed=5, spec=small_spec)
    assert json.loads((run_dir / "run.json").read_text())["run_id"] == 3


class TestLatestCheckpoint:
    def test_none_at_first(self, run_dir):
        assert latest_checkpoint(run_dir) is None

    def test_is_the_newest(self, run_dir):
        add_checkpoint(run_dir, 9, 3)
        newest = add_checkpoint(run_dir, 10, 7)
        assert latest_checkpoint(run_dir) == newest

    def test_arrays_without_a_record_do_not_count(self, run_dir):
        older = add_checkpoint(run_dir, 5, 3)
        (checkpoints_dir(run_dir) / "000010.npz").write_bytes(b"arrays")
        assert latest_checkpoint(run_dir) == older

    @pytest.mark.parametrize("damage", [b"arrayz", b"arr", None])
    def test_a_damaged_one_is_passed_over(self, run_dir, damage):
        older = add_checkpoint(run_dir, 5, 3)
        add_checkpoint(run_dir, 10, 7)
        file = checkpoints_dir(run_dir) / "000010.npz"
        file.unlink() if damage is None else file.write_bytes(damage)
        assert latest_checkpoint(run_dir) == older

    def test_only_the_last_two_are_kept(self, run_dir):
        (checkpoints_dir(run_dir) / "000003.tmp").write_bytes(b"half")
        for number in (5, 10, 15):
            add_checkpoint(run_dir, number, number)
        assert sorted(path.name for path in checkpoints_dir(run_dir).iterdir()) == [
            "000010.json",
            "000010.npz",
            "000015.json",
            "000015.npz",
        ]


class TestRewind:
    def test_to_nothing_without_a_checkpoint(self, run_dir):
        write_events(run_dir, 0, 4)
        assert rewind(run_dir) == 0
        assert spool_path(run_dir).read_bytes() == b""

    def test_before_anything_was_written(self, run_dir):
        assert rewind(run_dir) == 0

    def test_to_the_checkpoint_and_no_further_when_repeated(self, run_dir):
        write_events(run_dir, 0, 9)
        add_checkpoint(run_dir, 5, next_seq=6)
        assert [rewind(run_dir), rewind(run_dir)] == [6, 6]
        assert [event.seq for event in SpoolReader(spool_path(run_dir)).read()] == [0, 1, 2, 3, 4, 5]

    def test_drops_half_a_line(self, run_dir):
        write_events(run_dir, 0, 3)
        add_checkpoint(run_dir, 5, next_seq=3)
        with spool_path(run_dir).open("ab") as spool:
            spool.write(b'{"seq":3,"st')
        assert rewind(run_dir) == 3
        assert spool_path(run_dir).read_bytes().count(b"\n") == 3

    @pytest.mark.parametrize("here", [0, 2])
    def test_a_run_from_elsewhere_keeps_its_numbers(self, run_dir, here):
        """Earlier events lie at the service; this directory goes on where they end."""
        write_events(run_dir, 0, here)
        add_checkpoint(run_dir, 5, next_seq=6)
        assert [rewind(run_dir), rewind(run_dir)] == [6, 6]
        write_events(run_dir, 6, 2)
        assert [event.seq for event in SpoolReader(spool_path(run_dir), next_seq=6).read()] == [6, 7]


class TestInstallCheckpoint:
    def test_makes_it_the_latest(self, run_dir, tmp_path):
        arrived = tmp_path / "download"
        arrived.write_bytes(b"arrays")
        sha256 = hashlib.sha256(b"arrays").hexdigest()
        record = install_checkpoint(run_dir, arrived, next_seq=12, sha256=sha256, file="000015.npz")
        assert record == latest_checkpoint(run_dir)
        assert (record.number, record.step, record.next_seq) == (15, 300, 12)

    def test_refuses_damaged_bytes(self, run_dir, tmp_path):
        arrived = tmp_path / "download"
        arrived.write_bytes(b"arrays")
        with pytest.raises(ValueError, match="came damaged"):
            install_checkpoint(run_dir, arrived, next_seq=12, sha256="00", file="000015.npz")
        assert not checkpoint_records(run_dir)

    @pytest.mark.parametrize("file", ["../000015.npz", "latest.npz"])
    def test_refuses_other_names(self, run_dir, tmp_path, file):
        with pytest.raises(ValueError, match="expected a number"):
            install_checkpoint(run_dir, tmp_path / "download", next_seq=12, sha256="00", file=file)
