"""The compiled programs that tests share, and when they are given up.

Linux allows a process 65,530 memory mappings. Every compiled program takes some, thousands of tests compile thousands
of programs, and a process at the limit crashes wherever it asks for the next.
"""

import gc
from pathlib import Path

import jax

from phylon.worker.execution import Execution

TRACED: dict[str, Execution] = {}
"""What has been trained with before, by strategy, settings and workload."""
PROVEN: set[str] = set()
"""Specs whose programs were found to read every tuned hyper-parameter."""

MAPPINGS_LIMIT = 20_000
"""Far enough below the kernel's for the tests of one module."""


def release_if_many() -> None:
    if count_mappings() > MAPPINGS_LIMIT:
        TRACED.clear()
        PROVEN.clear()
        jax.clear_caches()
        gc.collect()


def count_mappings() -> int:
    with Path("/proc/self/maps").open() as maps:
        return sum(1 for _ in maps)
