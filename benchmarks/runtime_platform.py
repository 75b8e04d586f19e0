"""From `submit` to the first training frame in the database, with the real platform and a warm compile cache; and how
much memory its processes ever held until then."""

import os
import signal
import subprocess
import sys
import tempfile
import time

from benchmarks import processes
from benchmarks.report import Bar
from phylon.client import Client
from phylon.presets import load_preset
from phylon.spec import parse_yaml

PRESET, REPEATS = "td3-pbt-pendulum-smoke", 3
PATIENCE_SECONDS = 180.0
READY = "Phylon is ready: "
PROCESSES = {
    "trainer": "phylon.worker.training",
    "supervisor": "phylon.worker.supervisor",
    "API": "phylon.backend",
}
"""What stands in the command line of each."""


def bar() -> Bar:
    (first, *others), _ = measure(REPEATS + 1)
    raw = f"{', '.join(f'{seconds:.1f}' for seconds in others)} s; {first:.1f} s with nothing compiled yet"
    what = "from `submit` to the first training frame in the database"
    return Bar(what, 8, max(others), raw, is_ceiling=True, unit=" s")


def memory() -> list[Bar]:
    _, peaks = measure(1)
    return [
        Bar(f"peak memory of the {name}", None, peak, f"resident, with shared pages; {PRESET}", unit=" MB")
        for name, peak in peaks.items()
    ]


def measure(repeats: int) -> tuple[list[float], dict[str, float]]:
    """Seconds to the first frame of each repeat, and MB of each of the processes."""
    peaks = dict.fromkeys(PROCESSES, 0.0)
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "PHYLON_COMPILE_CACHE": f"{home}/xla", "NO_COLOR": "1", "COLUMNS": "300"}
        command = [sys.executable, "-m", "phylon", "up", "--home", home]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as platform:
            try:
                assert platform.stdout
                ready = next(line for line in platform.stdout if READY in line)
                with Client(ready.partition(READY)[2].split()[0]) as client:
                    return [first_frame(client, platform.pid, peaks) for _ in range(repeats)], peaks
            finally:
                platform.send_signal(signal.SIGINT)


def first_frame(client: Client, platform: int, peaks: dict[str, float]) -> float:
    """Seconds. The experiment is stopped then, so that the next one finds an idle worker.

    `platform`: the process whose descendants are looked at; `peaks`: their memory in MB, raised by what is seen.
    """
    began = time.monotonic()
    experiment = client.submit(parse_yaml(load_preset(PRESET).yaml))
    run = experiment.runs[0].id
    while "training/return" not in client.metric_names(run):
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise TimeoutError(f"no frame of run {run} within {PATIENCE_SECONDS:.0f} s")
        time.sleep(0.02)
    seconds = time.monotonic() - began
    for process in processes.descendants(platform):
        for name, module in PROCESSES.items():
            if module in processes.command_line(process):
                peaks[name] = max(peaks[name], processes.peak_megabytes(process))
    client.stop(experiment.id)
    while client.experiment(experiment.id).status not in ("stopped", "finished", "failed"):
        time.sleep(0.1)
    return seconds
