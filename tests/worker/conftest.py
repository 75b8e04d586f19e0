"""JAX as strict as it can be: two devices (so that sharding is real), no key used twice, no silent broadcasting."""

import os
from pathlib import Path

# must be set before JAX is imported for the first time
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
# Programs are small, and most run a few times: to optimise them, to split them for many cores and to fuse them by XLA's
# newer emitters takes longer than to run them.
os.environ["XLA_FLAGS"] += " --xla_cpu_parallel_codegen_split_count=1 --xla_cpu_use_fusion_emitters=false"
os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait for each other by spinning

import jax
import pytest

from tests.worker.programs import release_if_many

jax.config.update("jax_debug_key_reuse", True)
jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture(scope="session", autouse=True)
def remember_compiled_programs(compile_cache: Path):
    """The same small programs are compiled by many tests."""
    jax.config.update("jax_compilation_cache_dir", str(compile_cache))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # less is not worth a file
    yield
    jax.config.update("jax_compilation_cache_dir", None)


@pytest.fixture(scope="module", autouse=True)
def release_programs():
    yield
    release_if_many()


@pytest.fixture(params=["jit", "no jit"])
def variant(request):
    """Runs a test of a pure function twice: compiled and not."""
    return jax.jit if request.param == "jit" else lambda function: function
