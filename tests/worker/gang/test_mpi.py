"""`mpiexec -n 2 phylon train`: one run, one report, and members that move by MPI's own messages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from phylon.run_directory import read_run

from .conftest import ROOT, SECONDS, begin, train_alone
from .test_equal import BASE, check_equal

BIN = Path(sys.executable).parent
SPEC = BASE | {"execution": BASE["execution"] | {"exchange": "point_to_point"}}
WITHIN_THE_HOST = {"OMPI_MCA_btl": "self,sm"}


@pytest.mark.skipif(not (BIN / "mpiexec").exists(), reason="phylon[mpi] is not installed")
def test_a_run_in_the_foreground(tmp_path: Path, compile_cache: Path):
    file, run_dir = tmp_path / "spec.yaml", tmp_path / "run"
    file.write_text(yaml.safe_dump(SPEC))
    mpiexec = [BIN / "mpiexec", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe", "-n", "2"]
    variables = {"PHYLON_COMPILE_CACHE": str(compile_cache), "JAX_COMPILATION_CACHE_DIR": str(compile_cache)}
    done = subprocess.run(
        [*mpiexec, BIN / "phylon", "train", file, "--out", run_dir],
        cwd=ROOT,
        env={**os.environ, **WITHIN_THE_HOST, **variables},
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
    alone = begin(tmp_path / "alone", read_run(run_dir).spec)
    train_alone(alone)
    check_equal(run_dir, alone)
