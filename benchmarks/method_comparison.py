"""Which methods pay? Each beside its controls on two tasks, at equal environment steps of the whole population.

A score is the final return of one run: of the member that the run's own selection puts first, on episodes that no
selection saw. Controls: random search (each member keeps what it drew), the defaults (members differ by seed alone; the
best one, and one of them at random), and one agent with the defaults that has all steps of the population to itself.

Results are appended to RESULTS, which is kept with the sources: what a table says can be checked, and an interrupted
benchmark continues where it was. Delete the file to start over.
"""

import statistics
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from benchmarks import own_run, report
from phylon.contract.events import Finished
from phylon.statistics import aggregate

RESULTS = report.rows_file("method_comparison")
SEEDS = 5
MEMBERS = 8


class Task(NamedTuple):
    title: str
    environment: Mapping[str, Any]
    algorithm: Mapping[str, Any]
    steps: int
    """Of each member."""
    rest: Mapping[str, Any]
    """Other parts of the spec."""


TASKS = (
    Task(
        "PPO, MinAtar Breakout (gymnax)",
        {"suite": "gymnax", "id": "Breakout-MinAtar", "envs_per_member": 16},
        {"name": "ppo", "rollout_steps": 64, "epochs": 4, "minibatches": 4, "network": {"hidden": [64, 64]}},
        1_024_000,
        {"evaluation": {"episodes": 20}},
    ),
    Task(
        "TD3, InvertedDoublePendulum-v5 (MuJoCo)",
        {"suite": "gymnasium", "id": "InvertedDoublePendulum-v5"},
        {"name": "td3", "batch_size": 64, "network": {"hidden": [64, 64]}},
        20_000,
        {"evaluation": {"episodes": 5}, "replay": {"warmup": 1_000}},
    ),
)

METHODS = ("pbt", "pb2", "mf_pbt", "gpbt_pl", "bg_pbt", "ipbt")
"""Those that tune whatever numbers there are."""


class Contestant(NamedTuple):
    title: str
    size: int
    method: str
    search: str


CONTESTANTS = (
    *(Contestant(name, MEMBERS, name, "recommended") for name in METHODS),
    Contestant("random search", MEMBERS, "random_search", "recommended"),
    Contestant("defaults, best of all members", MEMBERS, "independent", "none"),
    Contestant("one agent, all steps", 1, "independent", "none"),
)


def spec_of(task: Task, contestant: Contestant, seed: int) -> dict[str, Any]:
    return {
        "version": 2,
        "name": "method-comparison",
        "seed": seed,
        "environment": task.environment,
        "algorithm": task.algorithm,
        "search": contestant.search,
        "population": {"size": contestant.size, "method": {"name": contestant.method}},
        "budget": task.steps * MEMBERS // contestant.size,
        **task.rest,
    }


def measure(task: Task, contestant: Contestant, seed: int) -> dict[str, Any]:
    began = time.perf_counter()
    events = own_run.train(spec_of(task, contestant, seed))
    frames = next(frames for frames in own_run.frames_of(events) if "final/return" in frames)
    finished = next(event for event in events if isinstance(event, Finished))
    return {
        "task": task.title,
        "contestant": contestant.title,
        "seed": seed,
        "winner": finished.best_member,
        "returns": frames["final/return"],
        "seconds": time.perf_counter() - began,
    }


def measure_all() -> list[dict[str, Any]]:
    """All results, after measuring what is missing; seed by seed, so that an interruption leaves a fair table."""
    known = report.read_rows(RESULTS)
    done = {(row["task"], row["contestant"], row["seed"]) for row in known}
    for seed in range(SEEDS):
        for task in TASKS:
            for contestant in CONTESTANTS:
                if (task.title, contestant.title, seed) in done:
                    continue
                row = measure(task, contestant, seed)
                known.append(row)
                report.append_row(RESULTS, row)
                print(task.title, contestant.title, seed, row["returns"][row["winner"]], f"{row['seconds']:.0f} s")
    return known


class Scores(NamedTuple):
    title: str
    values: list[float]
    seconds: float


def scores_of(rows: list[dict[str, Any]], task: Task) -> Iterator[Scores]:
    for contestant in CONTESTANTS:
        own = [row for row in rows if (row["task"], row["contestant"]) == (task.title, contestant.title)]
        seconds = statistics.fmean(row["seconds"] for row in own)
        yield Scores(contestant.title, [row["returns"][row["winner"]] for row in own], seconds)
        if contestant.method == "independent" and contestant.size > 1:
            means = [statistics.fmean(row["returns"]) for row in own]
            yield Scores("defaults, a member at random", means, seconds)


def table(rows: list[dict[str, Any]], task: Task) -> str:
    found = [(scores, aggregate([np.array(scores.values)]).interquartile_mean) for scores in scores_of(rows, task)]
    lines = [
        [
            scores.title,
            f"{middle.value:,.1f}",
            f"{middle.low:,.1f} to {middle.high:,.1f}",
            " ".join(f"{value:,.1f}" for value in scores.values),
            f"{scores.seconds:.0f}",
        ]
        for scores, middle in sorted(found, key=lambda pair: -pair[1].value)
    ]
    return report.table(["method", "IQM", "95 % interval", "final return of each run", "wall s"], lines)


def section(rows: list[dict[str, Any]], task: Task) -> str:
    about = f"{MEMBERS} members with {task.steps:,} steps each, {SEEDS} populations."
    return f"### {task.title}\n\n{about}\n\n{table(rows, task)}"


def text() -> str:
    rows = measure_all()
    return "\n\n".join(section(rows, task) for task in TASKS)
