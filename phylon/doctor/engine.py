"""What training needs: JAX and its devices, environment suites, and FFmpeg for videos."""

import json
import os
import shutil
import subprocess

from phylon.doctor.finding import ChildFailed, Finding, Machine, error, is_installed, ok, run_child, warning
from phylon.registry import suites
from phylon.registry.descriptions import SuiteDescription

_JAX_SECONDS = 120.0
_SUITE_SECONDS = 120.0
_GPU_SECONDS = 20.0
_FFMPEG_SECONDS = 20.0
_JAX = """
import json, jax
jax.numpy.ones(8).sum().block_until_ready()
print(json.dumps([jax.__version__, [[device.platform, device.device_kind] for device in jax.devices()]]))
"""
_SUITE = """
import sys
from phylon.worker.core.errors import EnvironmentUnavailable
from phylon.worker.environments import suite_ids
try:
    print(len(suite_ids(sys.argv[1])))
except EnvironmentUnavailable as error:
    print(error)
"""
_FFMPEG = "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_version())"
_NO_ENGINE = "not installed here: this machine cannot train (pip install 'phylon[worker]')"


def check_jax(machine: Machine) -> list[Finding]:
    if not is_installed("jax"):
        return [ok("jax", _NO_ENGINE)]
    try:
        found, devices = _devices(machine)
    except ChildFailed as failure:
        remedy = "run: python -c 'import jax; jax.devices()', and install jax again: pip install 'phylon[worker]'"
        return [error("jax", f"JAX does not work: {failure}", remedy)]
    kinds = ", ".join(f"{kind} ({platform})" for platform, kind in devices)
    return [ok("jax", f"JAX {found} computes on {len(devices)} device{'s' * (len(devices) != 1)}: {kinds}")]


def check_gpu(machine: Machine) -> list[Finding]:
    """A GPU that JAX does not see makes training slow without any error."""
    cards = _cards(machine)
    if not cards or not is_installed("jax"):
        return []
    try:
        seen = [kind for platform, kind in _devices(machine)[1] if platform != "cpu"]
    except ChildFailed:
        return []  # which is a finding of JAX already
    if seen:
        return [ok("gpu", f"JAX sees {len(seen)} of {len(cards)}")]
    remedy = "run: pip install 'phylon[cuda]', and see that JAX_PLATFORMS and CUDA_VISIBLE_DEVICES allow it"
    return [error("gpu", f"{cards[0]} is there, and JAX does not see it: training would run on the CPU", remedy)]


def _devices(machine: Machine) -> tuple[str, list[tuple[str, str]]]:
    version, devices = json.loads(run_child(machine, ["-c", _JAX], _JAX_SECONDS).splitlines()[-1])
    return version, [(platform, kind) for platform, kind in devices]


def _cards(machine: Machine) -> list[str]:
    program = shutil.which("nvidia-smi", path=machine.environment.get("PATH", os.defpath))
    if program is None:
        return []
    try:
        done = subprocess.run([program, "-L"], capture_output=True, text=True, timeout=_GPU_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.partition(" (")[0] for line in done.stdout.splitlines() if line.startswith("GPU ")]


def check_suites(machine: Machine) -> list[Finding]:
    """One process each: a library that is missing another one may end its process."""
    return [check_suite(machine, suite) for suite in suites().values()] if is_installed("jax") else []


def check_suite(machine: Machine, suite: SuiteDescription) -> Finding:
    name = f"suite {suite.name}"
    remedy = f"run: pip install '{suite.install}', or do without this suite"
    try:
        answer = run_child(machine, ["-c", _SUITE, suite.name], _SUITE_SECONDS).strip().splitlines()[-1]
    except ChildFailed as failure:
        return error(name, f"cannot be loaded: {failure}", remedy)
    if answer.isdecimal():
        return ok(name, f"{int(answer):,} environments")
    return warning(name, answer, remedy)


def check_ffmpeg(machine: Machine) -> list[Finding]:
    if not is_installed("jax"):
        return []
    remedy = "run: pip install 'phylon[suites]', or do without videos"
    if not is_installed("imageio_ffmpeg"):
        return [warning("ffmpeg", "imageio-ffmpeg is not installed: runs make no videos", remedy)]
    try:
        return [ok("ffmpeg", f"FFmpeg {run_child(machine, ['-c', _FFMPEG], _FFMPEG_SECONDS).strip()}")]
    except ChildFailed as failure:
        return [warning("ffmpeg", f"FFmpeg does not run: {failure}", remedy)]
