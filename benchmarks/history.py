"""`python -m benchmarks.history [ticks] [experiments]`: pages, charts, bytes and bursts with a long history.

On SQLite and on Postgres.

10,000 experiments of three runs each, one of which has 10^6 ticks of 80 members. Requests are answered in this process
by the whole application. Beside the time that passed stands the processor time of this process, which depends little on
what else the machine does; with Postgres it leaves out the work of the database's own processes.
"""

import logging
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import structlog
from starlette.testclient import TestClient

from benchmarks.history_data import LONG_RUN, MEMBERS, REPLICATES, Store, burst, fill, open_store, stored_bytes
from benchmarks.queue_tick import postgres
from benchmarks.report import machine, table, write
from phylon.backend.jobs import service as jobs
from phylon.backend.kit import lasting
from phylon.contract.protocol import Heartbeat
from phylon.presets import load_preset

REPEATS = 10
POINTS = 1000
BURST, BURST_MEMBERS, BURST_NAMES = 500, 8, 20


class Times(NamedTuple):
    what: str
    milliseconds: list[float]
    cpu: list[float]

    @property
    def row(self) -> list[str]:
        found = [
            f"{value(times):.0f} ms" for times in (self.milliseconds, self.cpu) for value in (statistics.median, p95)
        ]
        return [self.what, *found]


def p95(values: list[float]) -> float:
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    ticks, experiments = (int(each) for each in [*sys.argv[1:], *("1000000", "10000")[len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory(prefix="phylon-history-") as folder, postgres() as url:
        sqlite = open_store("SQLite", f"sqlite:///{folder}/phylon.db", Path(folder))
        spec = load_preset("td3-pbt-pendulum-smoke").yaml
        fill(sqlite, spec, ticks, experiments)
        other = open_store("Postgres", url, Path(folder))
        fill(other, spec, ticks, experiments, like=sqlite)
        lasting.set_aside()  # as the service does when it starts
        write("history", _page([_measure(sqlite, ticks), _measure(other, ticks)], ticks, experiments))


def _measure(store: Store, ticks: int) -> "Measured":
    load = os.getloadavg()[0]
    lists = [
        _time(store.client, "first page of experiments", "/experiments", limit=50),
        _time(store.client, "first page, searched", "/experiments", limit=50, search="7"),
        _time(store.client, "first page, of one status", "/experiments", limit=50, status="finished"),
    ]
    whole = 10 * ticks
    charts = [
        _time(
            store.client,
            f"chart of {what}",
            f"/runs/{LONG_RUN}/metrics",
            name="evaluation/return",
            points=POINTS,
            from_step=int(start * whole),
            to_step=int(stop * whole),
        )
        for what, start, stop in (
            ("the whole run", 0, 1),
            ("its middle half", 0.25, 0.75),
            ("a tenth", 0.313, 0.413),
            ("a hundredth", 0.7131, 0.7231),
            ("a thousandth", 0.4447, 0.4457),
        )
    ]
    return Measured(store.name, lists, charts, stored_bytes(store) / (ticks * MEMBERS), _ingest(store), load)


class Measured(NamedTuple):
    name: str
    lists: list[Times]
    charts: list[Times]
    bytes_per_value: float
    ingested: "Ingested"
    load: float


def _time(client: TestClient, what: str, path: str, **parameters: int | str) -> Times:
    def ask() -> None:
        answer = client.get(f"/api/v1{path}", params=parameters)
        assert answer.status_code == 200, answer.text

    ask()  # compiles statements and fills caches, as a service that runs has done
    return Times(what, *_clock(ask, REPEATS))


def _clock(action: Callable[[], None], repeats: int) -> tuple[list[float], list[float]]:
    passed, worked = list[float](), list[float]()
    for _ in range(repeats):
        began, cpu = time.perf_counter(), time.process_time()
        action()
        passed.append(1000 * (time.perf_counter() - began))
        worked.append(1000 * (time.process_time() - cpu))
    return passed, worked


class Ingested(NamedTuple):
    ticks_per_second: float
    per_cpu_second: float


def _ingest(store: Store) -> Ingested:
    """From the bytes of a heartbeat to the commit."""
    bursts = iter(burst(BURST * number, BURST, BURST_MEMBERS, BURST_NAMES) for number in range(8))

    def beat() -> None:
        body = Heartbeat.model_validate_json(next(bursts))
        with store.context.database.write() as session:
            jobs.heartbeat(session, store.context, store.running_job, body)

    beat()
    passed, worked = _clock(beat, 7)
    return Ingested(1000 * BURST / statistics.median(passed), 1000 * BURST / statistics.median(worked))


def _page(measured: list[Measured], ticks: int, experiments: int) -> str:
    rows: list[list[str]] = []
    for each in measured:
        slowest = max(each.lists, key=lambda times: p95(times.cpu))
        chart = max(each.charts, key=lambda times: p95(times.cpu))
        rows += [
            _bar(
                each.name, "first page of experiments, p95", "≤ 60 ms", p95(slowest.milliseconds), p95(slowest.cpu), 60
            ),
            _bar(each.name, f"{chart.what}, p95", "≤ 150 ms", p95(chart.milliseconds), p95(chart.cpu), 150),
            [each.name, "bytes per value", "≤ 6", f"{each.bytes_per_value:.2f}", "", _yes(each.bytes_per_value <= 6)],
            [
                each.name,
                f"burst of one worker, {BURST_MEMBERS} members × {BURST_NAMES} names",
                "≥ 2,000 ticks/s",
                f"{each.ingested.ticks_per_second:,.0f} ticks/s",
                f"{each.ingested.per_cpu_second:,.0f} a second",
                _yes(each.ingested.ticks_per_second >= 2000, each.ingested.per_cpu_second >= 2000),
            ],
        ]
    details = "\n\n".join(
        f"### {each.name}, load {each.load:.0f}\n\n"
        + table(
            ["request", "median", "p95", "processor time, median", "processor time, p95"],
            [times.row for times in (*each.lists, *each.charts)],
        )
        for each in measured
    )
    header = ["database", "what", "must reach", "time that passed", "processor time", "reached"]
    return f"""# History at scale

Written by `python -m benchmarks.history`. {experiments:,} experiments with {REPLICATES * experiments:,} runs, one of
them with {ticks:,} ticks of {MEMBERS} members; charts of {POINTS:,} points. {machine()}.

The machine was shared: its load is given below, and beside the time that passed stands the processor time of the
service's process, which is what a machine of its own would need (with Postgres, without the database's processes).
*reached* says whether the time that passed was within the bar, and else whether the processor time was.

{table(header, rows)}

Full size is 10,000 experiments and 1,000,000 ticks. Not measured here: 20 tabs, 20 pollers and 50 workers at once, and
frames a second of the timeline.

{details}
"""


def _bar(name: str, what: str, limit: str, passed: float, cpu: float, most: float) -> list[str]:
    return [name, what, limit, f"{passed:.0f} ms", f"{cpu:.0f} ms", _yes(passed <= most, cpu <= most)]


def _yes(passed: bool, cpu: bool = False) -> str:
    return "yes" if passed else "by processor time" if cpu else "**no**"


if __name__ == "__main__":
    main()
