"""What this machine can train on, found without JAX: importing it here would take the device from the job's process."""

import importlib.metadata
import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from phylon.contract.protocol import DeviceKind, WorkerRegistration
from phylon.registry import algorithms, methods, suites

MEBIBYTE = 2**20
REPORTED_PACKAGES = ("phylon", "jax", "jaxlib", "flax", "optax", "numpy", "celery")
"""Beside those that suites need."""


class DeviceMissing(RuntimeError):
    """The asked kind of device is not there."""


class Card(NamedTuple):
    id: str
    """As CUDA_VISIBLE_DEVICES names it."""
    uuid: str
    name: str
    memory_bytes: int


def describe_worker(
    name: str | None,
    device: DeviceKind | None,
    slots: int | None = None,
    labels: Sequence[str] = (),
    several_ranks: bool = False,
) -> WorkerRegistration:
    """This worker as it presents itself. Without `device`, GPUs are taken when there are any, with one slot each."""
    graphics = graphics_cards()
    if device == "gpu" and not graphics:
        raise DeviceMissing(
            "no GPU found: nvidia-smi is missing or lists none (CUDA_VISIBLE_DEVICES="
            f"{os.environ.get('CUDA_VISIBLE_DEVICES', '(not set)')}); install the driver, or start with --device cpu"
        )
    kind: DeviceKind = device or ("gpu" if graphics else "cpu")
    if kind == "gpu":
        device_name, count, memory = graphics[0].name, len(graphics), sum(card.memory_bytes for card in graphics)
        if slots not in (None, count):
            raise DeviceMissing(
                f"{slots} slots asked for, but a worker has one slot per GPU and sees {count}; leave --slots out, or "
                "choose the GPUs with CUDA_VISIBLE_DEVICES"
            )
        slots = count
    else:
        device_name, count, memory = _processor_name(), len(os.sched_getaffinity(0)), psutil.virtual_memory().total
    needed = tuple(sorted({package for suite in suites().values() for package in suite.distributions}))
    return WorkerRegistration(
        name=name or f"{socket.gethostname()}-{kind}",
        device=kind,
        device_name=device_name,
        device_count=count,
        memory_bytes=memory,
        host_memory_bytes=psutil.virtual_memory().total,
        versions={"python": platform.python_version()} | _versions(REPORTED_PACKAGES) | _versions(needed),
        suites=[
            suite.name for suite in suites().values() if len(_versions(suite.distributions)) == len(suite.distributions)
        ],
        algorithms=list(algorithms()),
        methods=list(methods()),
        slots=slots or 1,
        labels=list(labels),
        several_ranks=several_ranks,
    )


def graphics_cards() -> list[Card]:
    """The NVIDIA cards that CUDA_VISIBLE_DEVICES leaves visible, in its order: the slots of a worker with GPUs."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible == "":
        return []
    cards = [
        Card(index, uuid, name, int(size) * MEBIBYTE)
        for index, uuid, name, size in ask_nvidia("--query-gpu=index,uuid,name,memory.total")
    ]
    if not visible:
        return cards
    chosen = [(wanted.strip(), card) for wanted in visible.split(",") for card in cards if _is(card, wanted.strip())]
    return [card._replace(id=wanted) for wanted, card in chosen]


def _is(card: Card, wanted: str) -> bool:
    return wanted == card.id or (wanted.startswith("GPU-") and card.uuid.startswith(wanted))


def ask_nvidia(query: str) -> list[list[str]]:
    """The rows of its answer; none where the program is missing or fails."""
    if shutil.which("nvidia-smi") is None:
        return []
    command = ["nvidia-smi", query, "--format=csv,noheader,nounits"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    lines = answer.stdout.splitlines() if answer.returncode == 0 else []
    return [[field.strip() for field in line.split(",")] for line in lines if line.strip()]


def _processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
