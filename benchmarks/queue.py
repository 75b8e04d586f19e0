"""`python -m benchmarks.queue`: a year of a team decided by the real planner, and the time of a tick on real databases.

Needs some minutes. The clock of the year is simulated (`benchmarks.queue_year`); ticks are measured with 10,000 waiting
jobs and 200 workers of 4 slots (`benchmarks.queue_tick`).
"""

import logging
import os
import statistics

import structlog

from benchmarks import queue_tick
from benchmarks.queue_year import DAY, HOUR, PEOPLE, PROJECTS, Outcome, Simulation, always, sweeps
from benchmarks.report import Bar, bar_table, machine, table, write
from phylon.contract.vocabulary import Priority

YEAR, JOBS, MEAN_HOURS = 365 * DAY, 20_000, 10.0
QUARTER = 90 * DAY


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    year = Simulation(sweeps(1, JOBS, YEAR, MEAN_HOURS), YEAR, seed=2).run()
    quarter = Simulation(iter(()), QUARTER, seed=3, refill=always(4)).run()
    load = os.getloadavg()[0]
    ticks = queue_tick.measure()
    write("queue", _page(year, quarter, ticks, load))


def _page(year: Outcome, quarter: Outcome, ticks: list[queue_tick.Ticks], load: float) -> str:
    total = sum(quarter.used.values())
    weights = sum(terms.weight for terms in PROJECTS.values())
    projects: list[list[str]] = []
    worst_project = worst_person = 0.0
    for project, terms in PROJECTS.items():
        people = [quarter.used.get(person, 0.0) for person in PEOPLE if person.project_id == project]
        share, due = sum(people) / total, terms.weight / weights
        away = [abs(used / statistics.mean(people) - 1) for used in people]
        worst_project, worst_person = max(worst_project, abs(share / due - 1)), max(worst_person, *away)
        projects.append([str(project), f"{terms.weight:g}", f"{due:.2%}", f"{share:.2%}", f"{max(away):.1%}"])
    used_under_load = year.busy_under_load / year.available_under_load
    steady = {ticks_.what: ticks_ for ticks_ in ticks if ", 5 of" in ticks_.what}
    bars = [
        Bar(
            "share of a project, away from its weight", 5, 100 * worst_project, f"{len(PROJECTS)} projects", True, " %"
        ),
        Bar("share of a person, away from the project's mean", 5, 100 * worst_person, "30 people", True, " %"),
        Bar(
            "devices in use while enough waits", 95, 100 * used_under_load, "of a packing without any gap", False, " %"
        ),
        *(
            Bar(f"tick, {name.split(',')[0]}, p95", 50, each.p95, f"median {each.median:.1f} ms", True, " ms")
            for name, each in steady.items()
        ),
        *(
            Bar(f"tick, {name.split(',')[0]}, p95 of its own processor time", 50, each.p95_cpu, "", True, " ms")
            for name, each in steady.items()
        ),
    ]
    return "\n\n".join(
        [
            "# The queue",
            f"`python -m benchmarks.queue`. {machine()}; load of the machine {load:.1f} when the ticks were measured.",
            bar_table(bars),
            "## A year of a team",
            f"{len(PEOPLE)} people in {len(PROJECTS)} projects, ten workers of four GPUs, {JOBS:,} jobs in sweeps of 3 "
            f"to 80, about {MEAN_HOURS:g} h each, 1, 2 or 4 GPUs. {year.finished:,} finished, "
            f"{len(year.still_waiting)} waited at the end; {year.failures} machine failures, {year.preempted} jobs "
            f"handed back for a higher class. At most {year.most_waiting:,} waited at once; the planner looked "
            f"{year.looks:,} times. GPUs were in use {year.busy / year.available:.1%} of the year, and "
            f"{used_under_load:.1%} of the {year.available_under_load / year.available:.0%} of the time in which "
            "enough waited to fill them all. The comparison is with a packing that leaves no gap at all, which no "
            "clairvoyant can beat.",
            f"Nobody who had jobs waiting was without a running one for longer than {year.drought / HOUR:.1f} h "
            f"({quarter.drought / HOUR:.1f} h in the quarter below).",
            "Longest wait of a job at a stretch, in hours. Long ones are a person's own backlog: the last job of a "
            "sweep of 80 waits for the other 79.",
            _waits(year),
            "## Shares while everyone has demand",
            f"The same machines for {QUARTER / DAY:.0f} days; everyone always has four jobs waiting. Utilisation "
            f"{quarter.busy / quarter.available:.1%}, {quarter.finished:,} jobs.",
            table(["project", "weight", "entitled", "used", "person furthest from the mean"], projects),
            _waits(quarter),
            "## A tick",
            f"{queue_tick.WAITING:,} waiting jobs of {queue_tick.PEOPLE} people, {queue_tick.WORKERS} workers with "
            f"{queue_tick.SLOTS} slots each, in milliseconds: leases, charges, plan and the transaction that marks "
            "what is sent, on a file and on a server of its own. Sending follows and is not counted. Processor time is "
            "the scheduler's own, on Postgres without the server's.",
            table(
                ["", "median", "p95", "processor time, median", "p95", "sent in a tick"],
                [
                    [
                        each.what,
                        f"{each.median:.1f}",
                        f"{each.p95:.1f}",
                        f"{each.median_cpu:.1f}",
                        f"{each.p95_cpu:.1f}",
                        f"{each.dispatched:.0f}",
                    ]
                    for each in ticks
                ],
            )
            + "\n",
        ]
    )


def _waits(outcome: Outcome) -> str:
    names = list(Priority)
    rows = [
        [
            names[priority],
            str(devices),
            f"{len(waits):,}",
            f"{statistics.median(waits) / HOUR:.1f}",
            f"{statistics.quantiles(waits, n=20)[-1] / HOUR:.1f}" if len(waits) > 1 else "-",
            f"{max(waits) / HOUR:.1f}",
        ]
        for (priority, devices), waits in sorted(outcome.waits.items())
    ]
    return table(["class", "GPUs", "jobs", "median", "p95", "longest"], rows)


if __name__ == "__main__":
    main()
