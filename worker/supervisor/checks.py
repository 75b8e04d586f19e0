"""Finds out, before a job does, that a device is occupied or does not compute."""

import os
import subprocess
import sys

import psutil

from phylon.contract.protocol import DeviceKind
from phylon.worker.supervisor.device import MEBIBYTE, ask_nvidia, graphics_cards
from phylon.worker.supervisor.pinning import pin
from phylon.worker.supervisor.settings import SECRETS

COMPUTE_SECONDS = 120.0
"""The first use of a GPU, from a slow disk, takes long; one that hangs takes for ever."""
TOLERATED_BYTES = 256 * MEBIBYTE
"""What monitoring programs may hold of a card."""


def find_fault(kind: DeviceKind, slots: int) -> str | None:
    """Why jobs could not be executed here, in words; None when they can."""
    return find_foreign_use(kind) or _find_wrong_results(kind, slots)


def find_foreign_use(kind: DeviceKind) -> str | None:
    """Of our cards, by a process that is none of ours. Processes outside of a container are not visible in it."""
    if kind == "cpu":
        return None
    own = {os.getpid()} | {child.pid for child in psutil.Process().children(recursive=True)}
    names = {card.uuid: f"GPU {card.id} ({card.name})" for card in graphics_cards()}
    for uuid, pid, used in ask_nvidia("--query-compute-apps=gpu_uuid,pid,used_memory"):
        is_foreign = uuid in names and not (pid.isdigit() and int(pid) in own)
        if is_foreign and used.isdigit() and int(used) * MEBIBYTE > TOLERATED_BYTES:
            return f"{names[uuid]} is occupied: process {pid} of another program holds {used} MiB of it."
    return None


def _find_wrong_results(kind: DeviceKind, slots: int) -> str | None:
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
    environment |= pin(kind, range(slots), slots).variables
    command = [sys.executable, "-m", "phylon.worker.core.computes", str(slots if kind == "gpu" else 1)]
    try:
        answer = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=COMPUTE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"The {kind.upper()} did not finish a tiny computation within {COMPUTE_SECONDS:g} s."
    if answer.returncode == 0:
        return None
    last = "\n".join((answer.stdout + answer.stderr).strip().splitlines()[-3:])
    return f"JAX does not compute on the {kind.upper()} (exit code {answer.returncode}): {last}"
