"""What has to be said before JAX looks for devices. Nothing here imports it."""

import os

DEVICE_COUNT_FLAG = "--xla_force_host_platform_device_count"


def one_cpu_device_a_core(most: int) -> None:
    """A CPU device for each core, `most` at most, unless the operator said otherwise. It changes nothing for a GPU."""
    flags = os.environ.get("XLA_FLAGS", "")
    if DEVICE_COUNT_FLAG not in flags:
        count = min(len(os.sched_getaffinity(0)), most)
        os.environ["XLA_FLAGS"] = f"{flags} {DEVICE_COUNT_FLAG}={count}".strip()


def one_cpu_device() -> None:
    """Whatever was said before. A process with more devices than cores would share out its products all the same."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {DEVICE_COUNT_FLAG}=1".strip()
