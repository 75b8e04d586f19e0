"""`python -m phylon.worker.training RUN_DIR`: the trainer process. Its launcher holds standard input open."""

import argparse
import gc
import os
import sys
import traceback
from contextlib import nullcontext
from pathlib import Path

from phylon.contract.events import Failed
from phylon.launch import Launch, own_launch
from phylon.run_directory import RunRequest, locked, read_run, rewind, spool_path
from phylon.spec import ExperimentSpec, SpecInvalid, parse_spec
from phylon.spool import SpoolWriter
from phylon.worker.core import logging
from phylon.worker.core.commands import CRASHED, EXIT_CODES, FAILED, Commands
from phylon.worker.core.errors import EngineError
from phylon.worker.gang import meeting
from phylon.worker.gang.meeting import Meeting
from phylon.worker.training.process import compile_cache, prepare


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.training", description=__doc__)
    parser.add_argument("run_dir", type=Path, help="directory that holds run.json")
    run_dir: Path = parser.parse_args(arguments).run_dir.absolute()
    gc.disable()  # until all modules are loaded: they stay, and looking through them takes a fifth of that time

    logging.configure_job()
    commands = Commands()
    commands.listen()
    launch = own_launch(os.environ)
    # Of several processes that share it the first holds the directory, has put the run into it, and says where it is to
    # be found.
    holds = launch is None or launch.is_first or launch.has_own_folder
    with locked(run_dir) if holds else nullcontext():
        place = _meet(run_dir, launch)
        request = read_run(run_dir)
        try:
            spec = parse_spec(request.spec)
        except SpecInvalid as error:
            remedy = "correct it, check it with `phylon validate`, and submit it again"
            return _refuse(run_dir, launch, f"the spec is not valid: {error}", remedy)
        return _train(run_dir, spec, request, commands, launch, place)


def _meet(run_dir: Path, launch: Launch | None) -> Meeting | None:
    if launch is None:
        return None
    return meeting.call(run_dir, launch) if launch.is_first else meeting.find(run_dir, launch)


def _train(
    run_dir: Path,
    spec: ExperimentSpec,
    request: RunRequest,
    commands: Commands,
    launch: Launch | None,
    place: Meeting | None,
) -> int:
    prepare(spec, launch)
    from phylon.worker.gang.gang import ALONE  # these import JAX, which reads its environment variables then
    from phylon.worker.gang.joining import join
    from phylon.worker.training.session import train
    from phylon.worker.training.versions import find_versions

    gc.freeze()
    gc.enable()
    gang = ALONE
    if launch and place:
        facts = {"the run": request.model_dump(mode="json"), "versions": find_versions()}
        try:
            gang = join(launch, place, spec.execution.exchange, facts)
        except EngineError as error:
            return _refuse(run_dir, launch, error.message, error.remedy)
    measurements = compile_cache() / "strategies"
    os.chdir(run_dir)  # MuJoCo writes its warnings to MUJOCO_LOG.TXT in the working directory
    outcome = train(run_dir, spec, request.seed, commands, measurements, gang)
    if outcome == "failed":
        gang.fail()
    else:
        gang.leave()
    return EXIT_CODES[outcome]


def _refuse(run_dir: Path, launch: Launch | None, message: str, remedy: str) -> int:
    print(f"failed: {message}; {remedy}", flush=True)
    if launch is None or launch.is_first:
        next_seq = rewind(run_dir)
        with SpoolWriter(spool_path(run_dir), next_seq) as spool:
            spool.append(
                Failed(
                    kind="failed",
                    seq=next_seq,
                    step=0,
                    wall=0.0,
                    message=message,
                    remedy=remedy,
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
        if own_launch(os.environ):
            # Python's way out would wait for the others, and they for us.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(CRASHED)
        sys.exit(CRASHED)
