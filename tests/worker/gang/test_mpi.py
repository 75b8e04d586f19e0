"""`mpiexec -n 2 phylon train`: one run, one report, and members that move by MPI's own messages."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from .conftest import SECONDS
from .nursery import ROOT
from .test_equal import BASE, check_equal

BIN = Path(sys.executable).parent
SPEC = BASE | {"execution": BASE["execution"] | {"exchange": "point_to_point"}}
WITHIN_THE_HOST = {"OMPI_MCA_btl": "self,sm"}


@pytest.mark.skipif(not (BIN / "mpiexec").exists(), reason="phylon[mpi] is not installed")
def test_a_run_in_the_foreground(base_alone: Path, tmp_path: Path, variables):
    file, run_dir = tmp_path / "spec.yaml", tmp_path / "run"
    file.write_text(yaml.safe_dump(SPEC))
    mpiexec = [BIN / "mpiexec", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe", "-n", "2"]
    done = subprocess.run(
        [*mpiexec, BIN / "phylon", "train", file, "--out", run_dir],
        cwd=ROOT,
        env={**variables, **WITHIN_THE_HOST},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    logs = {path.name: path.read_text() for path in sorted(run_dir.glob("trainer*.log"))}
    assert done.returncode == 0, (done.stdout, done.stderr, logs)
    assert done.stdout.count("finished at step 300 of 300") == 1
    assert list(logs) == ["trainer-1.log", "trainer.log"]
    assert all("members move by MPI" in log for log in logs.values()), logs
    check_equal(run_dir, base_alone)
