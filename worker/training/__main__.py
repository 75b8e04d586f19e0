"""`python -m phylon.worker.training RUN_DIR`: the trainer process. Its launcher holds standard input open."""

import argparse
import os
import sys
import traceback
from pathlib import Path

from phylon.contract.events import Failed
from phylon.run_directory import locked, read_run, rewind, spool_path
from phylon.spec import ExperimentSpec, SpecInvalid, parse_spec
from phylon.spool import SpoolWriter
from phylon.worker.core import logging
from phylon.worker.core.commands import CRASHED, EXIT_CODES, FAILED, Commands
from phylon.worker.training.process import compile_cache, prepare


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.training", description=__doc__)
    parser.add_argument("run_dir", type=Path, help="directory that holds run.json")
    run_dir: Path = parser.parse_args(arguments).run_dir.absolute()

    logging.configure_job()
    commands = Commands()
    commands.listen()
    with locked(run_dir):
        request = read_run(run_dir)
        try:
            spec = parse_spec(request.spec)
        except SpecInvalid as error:
            return _refuse(run_dir, error)
        prepare(spec)
        return _train(run_dir, spec, request.seed, commands)


def _train(run_dir: Path, spec: ExperimentSpec, seed: int, commands: Commands) -> int:
    from phylon.worker.training.session import train  # imports JAX, which reads its environment variables then

    measurements = compile_cache() / "strategies"
    os.chdir(run_dir)  # MuJoCo writes its warnings to MUJOCO_LOG.TXT in the working directory
    return EXIT_CODES[train(run_dir, spec, seed, commands, measurements)]


def _refuse(run_dir: Path, error: SpecInvalid) -> int:
    next_seq = rewind(run_dir)
    with SpoolWriter(spool_path(run_dir), next_seq) as spool:
        spool.append(
            Failed(
                kind="failed",
                seq=next_seq,
                step=0,
                wall=0.0,
                message=f"the spec is not valid: {error}",
                remedy="correct it, check it with `phylon validate`, and submit it again",
                member=None,
                hyperparams=None,
            )
        )
        spool.sync()
    return FAILED


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Exception:
        # Python's own exit code for this is 1, which here means that the run itself failed.
        traceback.print_exc()
        sys.exit(CRASHED)
