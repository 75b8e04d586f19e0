"""What a trainer's process sets up before JAX is imported. Nothing here imports it."""

import os
from pathlib import Path

from phylon.launch import Launch, block_of
from phylon.spec import ExperimentSpec
from phylon.worker.core.startup import one_cpu_device_per_core


def compile_cache() -> Path:
    """Compiled programs and measured strategies of this machine, shared by all runs."""
    return Path(os.environ.get("PHYLON_COMPILE_CACHE") or Path.home() / ".cache" / "phylon" / "xla").absolute()


def prepare(spec: ExperimentSpec, launch: Launch | None = None) -> None:
    """Set JAX's environment variables. What the operator has set already wins."""
    here = block_of(launch.rank, launch.size, spec.population.size) if launch else range(spec.population.size)
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(compile_cache()))
    # A run starts with many small programs, so they are worth caching too.
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    # The decompositions of PB2's models are small; their threads would spin while waiting for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if spec.execution.strategy == "parallel":
        # Its processes share the device with this one, so none may reserve all of its memory.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if spec.execution.strategy in ("auto", "sharded"):
        one_cpu_device_per_core(most=max(1, len(here)))
