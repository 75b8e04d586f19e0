"""The run directory: what `phylon train` or the supervisor, and the trainer, share on disk.

run.json                  what to train; written by the launcher before the start
start.npz                 weights that its founders begin with, where `population.start` has some; by the launcher, too
events.jsonl              the spool: one event per line, line number = seq
checkpoints/NNNNNN.npz    arrays of a checkpoint
checkpoints/NNNNNN.R.npz  of a run on several processes: what belongs to the members of process R, from 1 on
checkpoints/NNNNNN.json   its record, written last: a checkpoint without a record does not exist
videos/step-NNNNNNNNN-member-N.mp4    videos of members; those after a checkpoint go when it is resumed
policy.zip                the winner's policy, once the run has ended
strategy.json             the chosen strategy and where the replay lies, so that a resumed attempt keeps both
lock                      held by the trainer while it runs, of several the first
meeting.json              where the processes of a run on several find each other
pace.json                 where each process of a run has a directory of its own: seconds that a segment takes it
MUJOCO_LOG.TXT            warnings of MuJoCo, which writes them to the working directory: the trainer's is this one
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from phylon.policy.names import ARCHIVE
from phylon.spec import parse_spec, segment_steps, spec_to_json
from phylon.spec.distributions import Model
from phylon.spool import SPOOL_FILE, cut_spool

RUN_FILE = "run.json"
CHECKPOINTS = "checkpoints"
VIDEOS = "videos"
PACE_FILE = "pace.json"
START_FILE = "start.npz"
CHECKPOINTS_KEPT = 2
LOCK_PATIENCE_SECONDS = 30.0
_VIDEO_FILE = re.compile(r"step-(\d+)-member-\d+\.(mp4|part)")


class RunRequest(Model):
    run_id: int | None
    seed: int
    spec: dict[str, Any]


class BlockRecord(Model):
    """A file that holds a part of the members."""

    sha256: str
    bytes: int
    file: str


class CheckpointRecord(Model):
    number: int
    step: int
    next_seq: int
    """First event number that is *not* covered by this checkpoint."""
    sha256: str
    bytes: int
    file: str
    blocks: tuple[BlockRecord, ...] = ()
    """The other files of a run on several processes, in the order of their members."""


class RunDirectoryBusy(RuntimeError):
    """Another process holds the lock."""


class RunDirectoryRefused(ValueError):
    """The directory cannot take this run; the text says why."""


def open_run(run_dir: Path, request: RunRequest) -> bool:
    """Begins the run, or finds it begun: then the answer is true. A directory that holds another run is refused."""
    try:
        held = read_run(run_dir)
    except FileNotFoundError:
        write_run(run_dir, request)
        return False
    except NotADirectoryError:
        raise RunDirectoryRefused(f"'{run_dir}' is a file") from None
    except ValueError:
        raise RunDirectoryRefused(f"'{run_dir / RUN_FILE}' is damaged") from None
    # A directory of an earlier version is compared by what its spec means today.
    held = held.model_copy(update={"spec": spec_to_json(parse_spec(held.spec))})
    difference = _difference(held.model_dump(exclude={"run_id"}), request.model_dump(exclude={"run_id"}))
    if difference:
        raise RunDirectoryRefused(f"'{run_dir}' already holds another run: {difference}")
    return True


def write_run(run_dir: Path, request: RunRequest) -> None:
    checkpoints_dir(run_dir).mkdir(parents=True, exist_ok=True)
    replace_file(run_dir / RUN_FILE, request.model_dump_json(indent=2).encode())


def read_run(run_dir: Path) -> RunRequest:
    return RunRequest.model_validate_json((run_dir / RUN_FILE).read_bytes())


def spool_path(run_dir: Path) -> Path:
    return run_dir / SPOOL_FILE


def checkpoints_dir(run_dir: Path) -> Path:
    return run_dir / CHECKPOINTS


def videos_dir(run_dir: Path) -> Path:
    return run_dir / VIDEOS


def video_file(step: int, member: int) -> str:
    """Sorted by name, files are sorted by step."""
    return f"step-{step:09d}-member-{member}.mp4"


def video_step(path: Path) -> int:
    """Of a file that is named so."""
    name = _VIDEO_FILE.fullmatch(path.name)
    return int(name[1]) if name else 0


def checkpoint_number(step: int, segment_steps: int) -> int:
    """Numbered by position in the run, so a periodic checkpoint has the same number whatever happened before it."""
    return step // segment_steps


def checkpoint_file(number: int, rank: int = 0) -> str:
    return f"{number:06d}.{rank}.npz" if rank else f"{number:06d}.npz"


def checkpoint_paths(run_dir: Path, record: CheckpointRecord) -> list[Path]:
    """All files that hold its arrays."""
    return [checkpoints_dir(run_dir) / each.file for each in (record, *record.blocks)]


def checkpoint_records(run_dir: Path) -> list[CheckpointRecord]:
    """Every recorded checkpoint, oldest first, whether or not its arrays are intact."""
    records: list[CheckpointRecord] = []
    for path in checkpoints_dir(run_dir).glob("*.json"):
        with contextlib.suppress(ValidationError):
            records.append(CheckpointRecord.model_validate_json(path.read_bytes()))
    return sorted(records, key=lambda record: record.number)


def latest_checkpoint(run_dir: Path) -> CheckpointRecord | None:
    """The newest checkpoint whose file has the recorded length and hash."""
    return next((record for record in reversed(checkpoint_records(run_dir)) if _is_intact(run_dir, record)), None)


def record_checkpoint(run_dir: Path, record: CheckpointRecord) -> None:
    """From here on the checkpoint exists. All but the newest two are deleted."""
    path = checkpoints_dir(run_dir) / Path(record.file).with_suffix(".json")
    replace_file(path, record.model_dump_json(exclude_defaults=True).encode())
    _prune(run_dir)


def install_checkpoint(
    run_dir: Path, source: Path, next_seq: int, sha256: str, file: str, blocks: Sequence[tuple[Path, str]] = ()
) -> CheckpointRecord:
    """Puts a checkpoint from another worker into this directory. `file` is its name there; `blocks` are its other
    files, which have their names, and their hashes."""
    if Path(file).name != file or not Path(file).stem.isdigit():
        raise ValueError(f"checkpoint file is named {file!r}; expected a number, as in {checkpoint_file(40)}")
    number = int(Path(file).stem)
    whole, *others = [
        _install(run_dir, each, name, expected)
        for each, name, expected in [(source, file, sha256), *((path, path.name, hash) for path, hash in blocks)]
    ]
    record = CheckpointRecord(
        number=number,
        step=number * segment_steps(parse_spec(read_run(run_dir).spec)),
        next_seq=next_seq,
        **whole.model_dump(),
        blocks=tuple(others),
    )
    record_checkpoint(run_dir, record)
    return record


def _install(run_dir: Path, source: Path, name: str, sha256: str) -> BlockRecord:
    record = BlockRecord(sha256=file_sha256(source), bytes=source.stat().st_size, file=name)
    if record.sha256 != sha256:
        raise ValueError(f"checkpoint {name} came damaged: its hash is {record.sha256}, not {sha256}; fetch it again")
    os.replace(source, checkpoints_dir(run_dir) / name)
    return record


def rewind(run_dir: Path) -> int:
    """Cut the spool back to the newest checkpoint (to nothing, without one) and return the next event number.

    Videos of the steps that are cut off are deleted too.

    The earlier events of a run that moved here from another worker are stored there. Blank lines take their place, so
    that the line number stays the event number.
    """
    checkpoint = latest_checkpoint(run_dir)
    next_seq = checkpoint.next_seq if checkpoint else 0
    run_dir.mkdir(parents=True, exist_ok=True)
    cut_spool(spool_path(run_dir), next_seq)
    _discard_videos_after(run_dir, checkpoint.step if checkpoint else 0)
    (run_dir / ARCHIVE).unlink(missing_ok=True)  # of an end that is no longer one
    return next_seq


def write_pace(run_dir: Path, seconds_per_segment: float) -> None:
    """Replaced in one step; after a power cut nobody asks for it."""
    temporary = run_dir / f"{PACE_FILE}.tmp"
    temporary.write_text(json.dumps(seconds_per_segment))
    temporary.replace(run_dir / PACE_FILE)


def read_pace(run_dir: Path) -> float | None:
    try:
        return float(json.loads((run_dir / PACE_FILE).read_text()))
    except (OSError, ValueError, TypeError):
        return None


@contextlib.contextmanager
def locked(run_dir: Path, patience_seconds: float = LOCK_PATIENCE_SECONDS) -> Generator[None]:
    """Only one process works in a run directory; a dying predecessor is given some time to release it."""
    with (run_dir / "lock").open("w") as file:
        deadline = time.monotonic() + patience_seconds
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise RunDirectoryBusy(
                        f"another process has held {run_dir / 'lock'} for {patience_seconds:g} s; end it first"
                    ) from None
                time.sleep(0.05)
        yield


def replace_file(path: Path, content: bytes) -> None:
    """Atomic: the file has either its new or its old content, even after a power cut."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Makes writes to the file survive a power cut; a rename survives only if its directory is synced."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _difference(held: Any, wanted: Any, path: str = "") -> str | None:
    """The first place where two runs differ, in words."""
    if isinstance(held, dict) and isinstance(wanted, dict):
        old, new = cast(dict[str, Any], held), cast(dict[str, Any], wanted)
        found = (
            _difference(old.get(key), new.get(key), f"{path}.{key}".lstrip(".")) for key in dict.fromkeys([*new, *old])
        )
        return next(filter(None, found), None)
    return None if held == wanted else f"{path.removeprefix('spec.')} is {held!r} there and {wanted!r} here"


def _is_intact(run_dir: Path, record: CheckpointRecord) -> bool:
    return all(
        path.exists() and path.stat().st_size == held.bytes and file_sha256(path) == held.sha256
        for path, held in zip(checkpoint_paths(run_dir, record), (record, *record.blocks), strict=True)
    )


def _discard_videos_after(run_dir: Path, step: int) -> None:
    """A checkpoint covers the videos of its own step: they are made before it."""
    for path in videos_dir(run_dir).glob("*"):
        name = _VIDEO_FILE.fullmatch(path.name)
        if name and (path.suffix == ".part" or int(name[1]) > step):
            path.unlink()


def _prune(run_dir: Path) -> None:
    kept = {Path(record.file).stem for record in checkpoint_records(run_dir)[-CHECKPOINTS_KEPT:]}
    # Records are deleted before arrays, so that no record ever lacks its arrays.
    for path in sorted(checkpoints_dir(run_dir).iterdir(), key=lambda path: path.suffix != ".json"):
        if path.name.split(".")[0] not in kept:
            path.unlink()
