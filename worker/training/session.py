"""One attempt at a run: take up the newest checkpoint or begin, train, and end with an outcome."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import jax

from phylon.registry.descriptions import StateDescription
from phylon.spec import ExperimentSpec, tuned
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import Joint
from phylon.worker.training.assembly import Parts, assemble
from phylon.worker.training.checkpoint import read_arrays
from phylon.worker.training.commands import Commands
from phylon.worker.training.failure import failure_fields
from phylon.worker.training.journal import Journal
from phylon.worker.training.loop import Loop, Outcome
from phylon.worker.training.run_directory import CheckpointRecord, latest_checkpoint, rewind, spool_path
from phylon.worker.training.spool import SpoolWriter
from phylon.worker.training.state import TrainingState, founders, from_arrays
from phylon.worker.training.stopwatch import Stopwatch

PACKAGES = ("phylon", "jax", "jaxlib", "flax", "optax", "numpy", "gymnasium", "mujoco")


def train(
    run_dir: Path, spec: ExperimentSpec, seed: int, commands: Commands, measurements: Path
) -> Outcome | Literal["failed"]:
    # A CPU program that is not split over devices then runs at once, in this thread: half the cost of acting.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    next_seq, checkpoint = rewind(run_dir), latest_checkpoint(run_dir)
    stopwatch = Stopwatch()
    parts: Parts | None = None
    loop: Loop | None = None
    with SpoolWriter(spool_path(run_dir), next_seq) as spool, stopwatch.watching_compilation():
        journal = Journal(spool, stopwatch)
        try:
            parts = assemble(spec, seed, run_dir, measurements)
            state = _take_up(run_dir, checkpoint, parts, stopwatch) if checkpoint else founders(parts)
            _announce(parts, state, journal, is_resumed=checkpoint is not None)
            loop = Loop(parts, state, run_dir, journal, stopwatch, commands)
            outcome = loop.run()
            print(f"{outcome} at step {state.step:,} after {stopwatch.wall:.1f} s", flush=True)
        except EngineError as error:
            step = loop.state.step if loop else checkpoint.step if checkpoint else 0
            journal.tell("failed", step, **failure_fields(error))
            print(f"failed: {error}", flush=True)
            outcome = "failed"
        finally:
            if parts is not None:
                parts.close()
        journal.sync()
    return outcome


def _take_up(run_dir: Path, checkpoint: CheckpointRecord, parts: Parts, stopwatch: Stopwatch) -> TrainingState:
    arrays = read_arrays(run_dir, checkpoint)
    stopwatch.wall_before = float(arrays["wall"])
    return from_arrays(arrays, checkpoint.number, parts)


def _announce(parts: Parts, state: TrainingState, journal: Journal, is_resumed: bool) -> None:
    execution, spec = parts.execution, parts.spec
    how = f"goes on from step {state.step:,}" if is_resumed else "begins"
    print(f"{spec.name} {how}: {spec.population.size} members, seed {parts.seed}; {parts.explanation}", flush=True)
    journal.tell(
        "started",
        state.step,
        resumed=is_resumed,
        strategy=execution.strategy,
        explanation=parts.explanation,
        devices=[f"{device.platform}:{number}" for number, device in enumerate(execution.devices)],
        versions=_versions(),
        parameters=_count_weights(parts),
    )
    if not is_resumed:
        weights = execution.checksum(state.population)
        spans = state.lineage.founders(state.hyperparams, list(tuned(spec.algorithm)), weights)
        journal.tell("lineage", state.step, spans=spans)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _count_weights(parts: Parts) -> int:
    """Weights of one member that gradients move: neither targets nor the state of optimisers."""
    population, layout = parts.execution.shape(), parts.work.algorithm.layout
    members = population.members if isinstance(population, Joint) else population
    counted = sum(leaf.size for leaf in _moved(members, layout) if leaf.ndim > 1)  # counters are one number per member
    shared = _moved(population.shared, layout) if isinstance(population, Joint) else []
    return counted // parts.work.population_size + sum(leaf.size for leaf in shared if leaf.ndim > 0)


def _moved(state: Any, layout: StateDescription) -> list[jax.ShapeDtypeStruct]:
    still = {*layout.targets, *layout.optimisers}
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    return [leaf for path, leaf in leaves if still.isdisjoint(getattr(entry, "name", None) for entry in path)]
