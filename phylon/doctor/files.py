"""Room on the disks, and who can read what is secret."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from phylon.doctor.finding import Finding, Machine, error, ok, warning

LOW_BYTES = 10 * 10**9
FULL_BYTES = 10**9
_SECRETS = ("*token*", "*secret*", "*credential*", "*password*", "*.key", ".env", "backups/*")


def check_disk(machine: Machine, low: int = LOW_BYTES, full: int = FULL_BYTES) -> list[Finding]:
    return [_room(f"disk of {noun}", folder, low, full) for noun, folder in _folders(machine).items()]


def _folders(machine: Machine) -> dict[str, Path]:
    environment, home = machine.environment, machine.home
    return {
        "home": home,
        "artifacts": Path(environment.get("PHYLON_ARTIFACTS") or home / "artifacts"),
        "runs": Path(environment.get("PHYLON_RUNS") or home / "runs"),
    }


def _room(name: str, folder: Path, low: int, full: int) -> Finding:
    present = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not present.is_dir() or not os.access(present, os.W_OK | os.X_OK):
        return error(name, f"{present} cannot be written to", "give it to the user who runs Phylon, or name another")
    free = shutil.disk_usage(present).free
    message = f"{free / 1e9:,.1f} GB free for {folder}"
    if free < full:
        return error(name, message, "make room: delete experiments, or move the folder to a larger disk")
    if free < low:
        return warning(name, message, "make room soon: checkpoints and videos need it")
    return ok(name, message)


def check_permissions(machine: Machine) -> list[Finding]:
    findings = [
        error("permissions", f"others on this machine may read {file}", f"run: chmod 600 '{file}'")
        for file in _secret_files(machine.home)
        if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ]
    if machine.home.exists() and machine.home.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        remedy = f"run: chmod go-w '{machine.home}'"
        findings.append(error("permissions", f"others on this machine may change {machine.home}", remedy))
    return findings or [ok("permissions", f"nobody else can read the secrets in {machine.home}")]


def _secret_files(home: Path) -> Iterator[Path]:
    for pattern in _SECRETS:
        yield from (file for file in home.glob(pattern) if file.is_file())
