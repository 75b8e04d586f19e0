"""One attempt at a run: resume from the newest checkpoint or start, train, and end with an outcome."""

import socket
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jax

from phylon.registry.descriptions import StateDescription
from phylon.run_directory import CheckpointRecord, checkpoint_records, latest_checkpoint, rewind, spool_path
from phylon.spec import ExperimentSpec, tuned
from phylon.spool import SpoolWriter
from phylon.start.material import Material, StartInvalid, read_start
from phylon.worker.core.commands import Commands
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import Joint
from phylon.worker.execution import checksum
from phylon.worker.execution.acting import own_parts
from phylon.worker.gang.gang import ALONE, Gang, agree, collect
from phylon.worker.training.assembly import Parts, assemble
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checkpoint import read_arrays
from phylon.worker.training.checks import failure_fields
from phylon.worker.training.device_memory import explained_memory
from phylon.worker.training.journal import Journal
from phylon.worker.training.loop import Outcome, run_loop
from phylon.worker.training.start import origins_of
from phylon.worker.training.state import TrainingState, from_arrays, make_founders
from phylon.worker.training.stopwatch import Stopwatch
from phylon.worker.training.versions import find_versions


def train(
    run_dir: Path, spec: ExperimentSpec, seed: int, commands: Commands, measurements: Path, gang: Gang = ALONE
) -> Outcome | Literal["failed"]:
    """`gang`: the processes that train this population together; the first of them writes what is written."""
    # A CPU program on one device then runs synchronously in this thread, which halves the cost of acting.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    next_seq, checkpoint = _find_beginning(run_dir, gang)
    stopwatch = Stopwatch()
    parts: Parts | None = None
    state: TrainingState | None = None
    spool_file = SpoolWriter(spool_path(run_dir), next_seq) if gang.is_first else nullcontext()
    with spool_file as spool, stopwatch.watch_compilation():
        journal = Journal(spool, stopwatch)
        try:
            with explained_memory(spec, gang):
                parts = assemble(spec, seed, run_dir, measurements, gang)
                resumed = _resume(run_dir, checkpoint, parts, stopwatch) if checkpoint else None
                start = [] if resumed else _read_start(run_dir, spec)
                state = resumed.state if resumed else make_founders(parts, start)
                _announce(parts, state, journal, is_resumed=resumed is not None)
                if not resumed:
                    _record_founders(parts, state, journal, start)
                if resumed and resumed.interruption:
                    journal.record("interrupted", state.step, reason=resumed.interruption)
                outcome = run_loop(Attempt(parts, state, run_dir, journal, stopwatch, commands))
                print(f"{outcome} at step {state.step:,} after {stopwatch.wall:.1f} s", flush=True)
        except EngineError as error:
            step = state.step if state else checkpoint.step if checkpoint else 0
            journal.record("failed", step, **failure_fields(error))
            print(f"failed: {error}", flush=True)
            outcome = "failed"
        finally:
            if parts is not None:
                parts.close()
        journal.sync()
    return outcome


def _find_beginning(run_dir: Path, gang: Gang) -> tuple[int, CheckpointRecord | None]:
    """The number of the next event, and the checkpoint to go on from."""
    if gang.is_first:
        next_seq, checkpoint = rewind(run_dir), latest_checkpoint(run_dir)
        agree(gang, checkpoint and checkpoint.model_dump())
        return next_seq, checkpoint
    known = agree(gang, None)
    if known is None:
        return 0, None
    found = CheckpointRecord.model_validate(known)
    if gang.has_own_folder:  # other files of it are here than there
        found = next((own for own in checkpoint_records(run_dir) if own.number == found.number), found)
    return 0, found


class _Resumed(NamedTuple):
    state: TrainingState
    interruption: str
    """Why the checkpoint was written out of turn; empty for a scheduled one."""


def _resume(run_dir: Path, checkpoint: CheckpointRecord, parts: Parts, stopwatch: Stopwatch) -> _Resumed:
    arrays = read_arrays(run_dir, checkpoint, parts.rows_of_members)
    stopwatch.wall_before = float(arrays["wall"])
    interruption = str(arrays.get("interruption", ""))  # older checkpoints do not say
    return _Resumed(from_arrays(arrays, checkpoint.number, parts), interruption)


def _announce(parts: Parts, state: TrainingState, journal: Journal, is_resumed: bool) -> None:
    execution, spec = parts.execution, parts.spec
    how = f"resumes at step {state.step:,}" if is_resumed else "starts"
    explanation, devices = _describe_gang(parts)
    print(f"{spec.name} {how}: {spec.population.size} members, seed {parts.seed}; {explanation}", flush=True)
    journal.record(
        "started",
        state.step,
        resumed=is_resumed,
        strategy=execution.strategy,
        explanation=explanation,
        devices=devices,
        versions=find_versions(),
        parameters=_count_weights(parts),
    )


def _describe_gang(parts: Parts) -> tuple[str, list[str]]:
    """Why this strategy and, of several processes, which members each has; the devices of all."""
    own = [parts.members.start, len(parts.members), socket.gethostname(), [d.platform for d in parts.execution.devices]]
    said = collect(parts.gang, own)
    devices = [platform for *_, platforms in said for platform in platforms]
    numbered = [f"{platform}:{number}" for number, platform in enumerate(devices)]
    if parts.gang.size == 1:
        return parts.explanation, numbered
    blocks = ", ".join(f"{count} from {first} on {host}" for first, count, host, _ in said)
    return f"{parts.explanation}; {parts.gang.size} processes, with members {blocks}", numbered


def _record_founders(parts: Parts, state: TrainingState, journal: Journal, start: list[Material]) -> None:
    origins = origins_of(start, parts.size)
    tuned_names, weights = list(tuned(parts.spec.algorithm)), parts.gather_held(checksum(state.population))
    journal.record(
        "lineage", state.step, spans=state.lineage.founders(state.hyperparams, tuned_names, weights, origins)
    )


def _read_start(run_dir: Path, spec: ExperimentSpec) -> list[Material]:
    """What the launcher put into the directory before the first attempt."""
    if not spec.population.start:
        return []
    try:
        return read_start(run_dir)
    except StartInvalid as error:
        raise EngineError(str(error), "begin the run again where its source is") from None


def _count_weights(parts: Parts) -> int:
    """Weights per member that gradients change: neither targets, statistics nor the state of optimisers."""
    population, layout = parts.execution.shape, parts.work.algorithm.layout
    counted = sum(leaf.size for leaf in _find_weights(own_parts(population), layout) if leaf.ndim > 1)  # no counters
    shared = _find_weights(population.shared, layout) if isinstance(population, Joint) else []
    return counted // parts.work.population_size + sum(leaf.size for leaf in shared if leaf.ndim > 0)


def _find_weights(state: Any, layout: StateDescription) -> list[jax.ShapeDtypeStruct]:
    still = {*layout.targets, *layout.optimisers, *layout.statistics}
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    return [leaf for path, leaf in leaves if still.isdisjoint(getattr(entry, "name", None) for entry in path)]
