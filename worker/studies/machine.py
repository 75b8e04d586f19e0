"""The machine that a study runs on. Probed in a separate process, so that the conductor never holds a device."""

import multiprocessing
import os
import platform
from importlib import metadata
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from phylon.study import Machine

PACKAGES = ("phylon", "jax", "jaxlib", "torch")


def this_machine() -> Machine:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_probe, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join()


def _probe(connection: Connection) -> None:
    import jax

    devices: list[Any] = jax.local_devices()
    kind: Literal["cpu", "gpu", "tpu"] = devices[0].platform
    connection.send(
        Machine(
            device=kind,
            device_name=processor_name() if kind == "cpu" else devices[0].device_kind,
            device_count=1 if kind == "cpu" else len(devices),
            cores=len(os.sched_getaffinity(0)),
            memory_bytes=_memory_bytes(kind, devices[0]),
            versions={"python": platform.python_version()} | _find_versions(),
        )
    )


def _memory_bytes(kind: str, device: Any) -> int:
    if kind != "cpu":
        return int(device.memory_stats()["bytes_limit"])
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _find_versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
