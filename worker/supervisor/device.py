"""What this machine can train on, found without JAX: importing it here would take the device from the trainer."""

import importlib.metadata
import os
import platform
import shutil
import socket
import subprocess
from pathlib import Path

from phylon.contract.protocol import DeviceKind, WorkerRegistration
from phylon.registry import algorithms, methods, suites

MEBIBYTE = 2**20
REPORTED_PACKAGES = ("phylon", "jax", "jaxlib", "flax", "optax", "numpy", "celery")
"""Beside those that suites need."""


class DeviceMissing(RuntimeError):
    """The asked kind of device is not there."""


def describe_worker(name: str | None, device: DeviceKind | None) -> WorkerRegistration:
    """This worker as it presents itself. Without `device`, a GPU is taken when there is one."""
    graphics = _graphics_cards()
    if device == "gpu" and not graphics:
        raise DeviceMissing(
            "no GPU found: nvidia-smi is missing or lists none (CUDA_VISIBLE_DEVICES="
            f"{os.environ.get('CUDA_VISIBLE_DEVICES', '(not set)')}); install the driver, or start with --device cpu"
        )
    kind: DeviceKind = device or ("gpu" if graphics else "cpu")
    if kind == "gpu":
        device_name, count, memory = graphics[0][0], len(graphics), sum(size for _, size in graphics)
    else:
        device_name, count, memory = _processor_name(), len(os.sched_getaffinity(0)), _machine_memory()
    needed = tuple(sorted({package for suite in suites().values() for package in suite.distributions}))
    return WorkerRegistration(
        name=name or f"{socket.gethostname()}-{kind}",
        device=kind,
        device_name=device_name,
        device_count=count,
        memory_bytes=memory,
        host_memory_bytes=_machine_memory(),
        versions={"python": platform.python_version()} | _versions(REPORTED_PACKAGES) | _versions(needed),
        suites=[
            suite.name for suite in suites().values() if len(_versions(suite.distributions)) == len(suite.distributions)
        ],
        algorithms=list(algorithms()),
        methods=list(methods()),
    )


def trainer_device_variables(kind: DeviceKind) -> dict[str, str]:
    """Pins the trainer to the device that the worker offered; JAX then fails instead of falling back silently."""
    if kind == "cpu":
        return {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    visible = os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(len(_graphics_cards()))))
    return {"CUDA_VISIBLE_DEVICES": visible, "JAX_PLATFORMS": "cuda,cpu"}


def _graphics_cards() -> list[tuple[str, int]]:
    """Name and bytes of each NVIDIA card that CUDA_VISIBLE_DEVICES leaves visible."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible == "" or shutil.which("nvidia-smi") is None:
        return []
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    if visible:
        command.append(f"--id={visible}")
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    if answer.returncode != 0:
        return []
    return [
        (name.strip(), int(size) * MEBIBYTE)
        for name, _, size in (line.rpartition(",") for line in answer.stdout.splitlines() if line.strip())
    ]


def _processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _machine_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/meminfo has no MemTotal line")


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
