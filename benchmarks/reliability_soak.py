"""Memory of the API, of a supervisor and of a trainer while a long run trains and people look at it."""

import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
import psutil

from benchmarks.report import machine, table
from tests.chaos.fleet import Fleet, wait
from tests.small_runs import make_spec

LOOK_SECONDS = 2.0
SETTLING_SHARE = 0.25
"""Of the time: caches fill, the replay too, and the first of everything is compiled."""
MOST_MEGABYTES_PER_HOUR = 10.0
"""A process whose memory certainly grows faster is a finding."""
BEGUN = 800
ENDLESS = 10**9


class Slope(NamedTuple):
    """Megabytes an hour, with the half width of its 95 % interval."""

    value: float
    uncertainty: float


def soak(minutes: float) -> int:
    """The number of processes whose memory grows."""
    with tempfile.TemporaryDirectory(prefix="phylon-soak-", ignore_cleanup_errors=True) as folder:
        fleet = Fleet(Path(folder), Path(folder) / "xla")
        try:
            fleet.start()
            samples = _watch(fleet, 60 * minutes)
        finally:
            fleet.close()
    return _report(samples, minutes)


def _watch(fleet: Fleet, seconds: float) -> dict[str, list[tuple[float, float]]]:
    """Of each process: when, and how many megabytes of its own."""
    run_id = fleet.client.submit(make_spec(budget__env_steps=ENDLESS)).runs[0].id
    wait(lambda: fleet.client.run(run_id).step >= BEGUN, "its first checkpoints", 1800.0)
    [(_, trainer)] = fleet.job_processes()
    supervisor = trainer.parent()
    assert supervisor is not None
    processes = {"API": psutil.Process(fleet.apis[0].pid), "supervisor": supervisor, "trainer": trainer}
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in processes}
    began, first_step, looks = time.monotonic(), fleet.client.run(run_id).step, 0
    with httpx.Client(base_url=f"http://127.0.0.1:{fleet.ports[0]}/api/v1", timeout=60.0) as people:
        while time.monotonic() - began < seconds:
            for path in ("workers", "queue", "experiments", f"runs/{run_id}", f"runs/{run_id}/lineage"):
                people.get(f"/{path}").raise_for_status()
                looks += 1
            for name, process in processes.items():
                samples[name].append((time.monotonic() - began, process.memory_full_info().uss / 2**20))
            time.sleep(LOOK_SECONDS)
    print(f"the run made {fleet.client.run(run_id).step - first_step:,} steps, people looked {looks:,} times")
    fleet.client.stop_run(run_id)
    wait(lambda: fleet.client.run(run_id).ended, "the run to stop")
    return samples


def fit(samples: list[tuple[float, float]]) -> Slope:
    """A line by least squares. Neighbouring samples are alike, so the interval comes from the means of blocks: it is as
    wide as if there were only so many samples as blocks."""
    blocks = np.array_split(np.array(samples), 12)
    hours, megabytes = (np.array([block[:, column].mean() for block in blocks]) for column in (0, 1))
    hours = hours / 3600
    design = np.stack([hours, np.ones_like(hours)], axis=1)
    (slope, start), *_ = np.linalg.lstsq(design, megabytes, rcond=None)
    residual = megabytes - (slope * hours + start)
    variance = (residual**2).sum() / (len(hours) - 2) / ((hours - hours.mean()) ** 2).sum()
    return Slope(float(slope), 2.228 * float(np.sqrt(variance)))  # Student's t, 10 degrees of freedom


def _report(samples: dict[str, list[tuple[float, float]]], minutes: float) -> int:
    rows: list[list[str]] = []
    growing = 0
    for name, taken in samples.items():
        settled: list[Any] = taken[int(SETTLING_SHARE * len(taken)) :]
        slope = fit(settled)
        grows = slope.value - slope.uncertainty > MOST_MEGABYTES_PER_HOUR
        growing += grows
        values = [megabytes for _, megabytes in settled]
        rows.append(
            [
                *(name, f"{values[0]:.1f}", f"{values[-1]:.1f}", f"{max(values):.1f}"),
                *(f"{slope.value:+.2f} ± {slope.uncertainty:.2f}", "**yes**" if grows else "no"),
            ]
        )
    print(
        f"\n{machine()}\n\n{minutes:g} minutes, the first quarter left out; megabytes that a process has of its own.\n"
    )
    print(table(["process", "at first", "at last", "most", "MB an hour, 95 % interval", "grows"], rows))
    return growing
