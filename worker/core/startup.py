"""XLA flags that must be set before JAX looks for devices. Nothing here imports JAX."""

import os

DEVICE_COUNT_FLAG = "--xla_force_host_platform_device_count"


def one_cpu_device_per_core(most: int) -> None:
    """One CPU device per core, at most `most`, unless XLA_FLAGS sets the count already. GPUs are not affected."""
    flags = os.environ.get("XLA_FLAGS", "")
    if DEVICE_COUNT_FLAG not in flags:
        count = min(len(os.sched_getaffinity(0)), most)
        os.environ["XLA_FLAGS"] = f"{flags} {DEVICE_COUNT_FLAG}={count}".strip()


def one_cpu_device() -> None:
    """Overrides what was set before. XLA divides products among as many threads as a process has devices or cores."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {DEVICE_COUNT_FLAG}=1".strip()
