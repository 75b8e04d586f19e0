"""In the foreground a source is a path: a run directory of `phylon train`, or an exported policy."""

from collections.abc import Sequence
from pathlib import Path

from phylon.run_directory import RUN_FILE, CheckpointRecord, checkpoint_paths, checkpoint_records, read_run
from phylon.spec import parse_accepted
from phylon.spec.start import StartSource
from phylon.start.material import Material, StartInvalid
from phylon.start.taking import Checkpoint, take_members, take_policy


def gather(sources: Sequence[StartSource]) -> list[Material]:
    """Paths are relative to the working directory. Raises `StartInvalid`."""
    return [material for source in sources for material in _gather(source)]


def _gather(source: StartSource) -> list[Material]:
    if source.path is None:
        raise StartInvalid(
            f"run {source.run} is on a service; submit the experiment there, or name a run directory by path"
        )
    path = Path(source.path).expanduser()
    if not path.exists():
        raise StartInvalid(f"'{path}' is not there; name a run directory, or a policy that `phylon policy` wrote")
    if not (path / RUN_FILE).exists():
        if source.step is not None or source.members is not None or source.best not in (None, 1):
            raise StartInvalid(f"'{path}' is a single policy; leave out step, members and best")
        return [take_policy(path)]
    request = read_run(path)
    record = _choose_checkpoint(path, source.step)
    spec = parse_accepted(request.spec)
    checkpoint = Checkpoint(spec, None, request.run_id, record.step, record.sha256)
    return take_members(checkpoint_paths(path, record), checkpoint, source)


def _choose_checkpoint(run_dir: Path, step: int | None) -> CheckpointRecord:
    records = checkpoint_records(run_dir)
    if not records:
        raise StartInvalid(f"'{run_dir}' holds no checkpoint; let that run come to its first one")
    for record in reversed(records):
        if step in (None, record.step):
            return record
    there = ", ".join(str(record.step) for record in records)
    raise StartInvalid(f"'{run_dir}' holds no checkpoint of step {step}; those that are there are of steps {there}")
