"""Six jobs in a storm, one of them on two workers, and what is left of them after it."""

import contextlib
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import psycopg

from phylon.spec import parse_study
from tests.chaos.faults import STRIKES, Undo
from tests.chaos.fleet import Fleet, wait
from tests.chaos.plan import Fault, Plan
from tests.small_runs import History, make_spec, read_history

BUDGET = 2000
MOST_TRIES = 3
"""A machine that is very busy loses a lease by itself; a run that this happened to is no measure."""
SEEDS = (1, 2)
"""Two, so that a run which got hold of another's numbers would be found out."""
RUNS = 5
STUDY = parse_study(
    {
        **{"version": 1, "name": "disturbed", "kind": "runtime_study", "algorithms": ["ddpg"], "frameworks": ["torch"]},
        **{"strategies": ["sequential"], "population_sizes": [1, 2], "fused_updates": [1]},
        **{"batch_sizes": [4], "hidden": [[4]], "repeats": 2, "warmup_calls": 1, "seconds": 0.1},
    }
)
PATIENCE = 1800.0
"""For a machine that is far busier than ours; a storm that does not end is a failure."""
LOW_DISK_PAUSE_SECONDS = 330.0
"""Jobs that were handed back for want of room wait for so long; by the clock, which can be set."""


class Jobs(NamedTuple):
    runs: dict[int, int]
    """The seed of each, by its number."""
    study: int
    ids: list[int]
    """As jobs, runs first."""


class Story(NamedTuple):
    """What happened in one storm."""

    plan: Plan
    struck: list[Fault]
    """Those of the plan that found something to hit."""
    jobs: Jobs
    seconds: float
    ends: Counter[str]
    """How the attempts of its jobs ended."""


class JobFailed(AssertionError):
    """A job ended otherwise than undisturbed."""


def spec(seed: int, hosts: int = 1) -> dict[str, Any]:
    """Members learn one by one, so that the numbers are the same however many hosts they are on."""
    return make_spec(
        seed=seed,
        execution={"strategy": "sequential"},
        resources={"hosts": hosts, "min_hosts": 1},
        population__size=2,
        budget__env_steps=BUDGET,
        checkpoint={"interval": 200, "resume": "exact"},
        evaluation={"interval": 400, "episodes": 1, "final": 2},
    )


def read_undisturbed(fleet: Fleet) -> dict[int, History]:
    """By seed: what runs come to when nothing happens to them."""
    histories: dict[int, History] = {}
    for _ in range(MOST_TRIES):
        runs = {seed: fleet.client.submit(spec(seed)).runs[0].id for seed in SEEDS if seed not in histories}
        wait(partial(have_ended, fleet, list(runs.values())), "undisturbed runs", PATIENCE)
        for seed, run_id in runs.items():
            if fleet.client.run(run_id).attempt == 1:
                histories[seed] = read_history(fleet.client, run_id)
        if len(histories) == len(SEEDS):
            return histories
    raise TimeoutError(
        "the machine is too busy to let a run finish at its first attempt, so there is nothing to compare"
    )


def have_ended(fleet: Fleet, runs: list[int]) -> bool:
    return all(fleet.client.run(run_id).ended for run_id in runs)


def submit(fleet: Fleet) -> Jobs:
    runs = {
        fleet.client.submit(spec(seed, hosts=2 if number == 0 else 1)).runs[0].id: seed
        for number, seed in enumerate((SEEDS * RUNS)[:RUNS])
    }
    study = fleet.client.submit_study(STUDY).id
    with fleet.database() as database:
        ids = [
            database.execute(f"SELECT job_id FROM {table} WHERE id = %s", [id]).fetchall()[0][0]
            for table, id in (*(("runs", run) for run in runs), ("studies", study))
        ]
    return Jobs(runs, study, ids)


def rage(fleet: Fleet, plan: Plan, say: Callable[[str], None]) -> Story:
    """Returns when all faults have come and gone, and all jobs have ended."""
    began = time.monotonic()
    jobs = submit(fleet)
    coming, lasting = list(plan.faults), list[tuple[float, Fault, Undo]]()
    struck, done, ended = list[Fault](), 0.0, False
    while coming or lasting or not ended:
        now = time.monotonic()
        if now - began > PATIENCE:
            raise TimeoutError(f"{describe(fleet, jobs)}\n{PATIENCE:g} s were not enough for {plan}")
        with contextlib.suppress(psycopg.Error):  # the database is away; that is one of the faults
            for fault in [fault for fault in coming if done >= fault.at]:
                undo = STRIKES[fault.kind](fleet, fault)
                if undo is not None:
                    say(f"{now - began:5.1f} s, {done:4.0%} done: {fault}")
                    coming.remove(fault)
                    struck.append(fault)
                    lasting.append((now + fault.seconds, fault, undo))
            if not coming and not lasting:
                let_pauses_pass(fleet, jobs)
            done, ended = look(fleet, jobs, done)
            if ended:
                coming.clear()  # they found nothing that they could have hit
        lasting = [(due, fault, undo) for due, fault, undo in lasting if now < due or not undo()]
        time.sleep(0.1)
    with fleet.database() as database:
        query = "SELECT attempts.end FROM attempts WHERE job_id = ANY(%s)"
        ends = Counter(str(row[0]) for row in database.execute(query, [jobs.ids]).fetchall())
    return Story(plan, struck, jobs, time.monotonic() - began, ends)


def let_pauses_pass(fleet: Fleet, jobs: Jobs) -> None:
    """Jobs that were handed back for want of room wait by the clock, so the clock is set."""
    query = (
        "SELECT 1 FROM jobs JOIN attempts ON attempts.job_id = jobs.id AND attempts.number = jobs.attempt "
        "WHERE jobs.id = ANY(%s) AND jobs.status = 'queued' AND attempts.end = 'low_disk'"
    )
    with fleet.database() as database:
        if database.execute(query, [jobs.ids]).fetchall():
            fleet.clock.jump(LOW_DISK_PAUSE_SECONDS)
            wait(lambda: not database.execute(query, [jobs.ids]).fetchall(), "jobs to go on after a full disk")


def look(fleet: Fleet, jobs: Jobs, before: float) -> tuple[float, bool]:
    """The share of all work that is done, and whether all jobs have finished."""
    query = (
        "SELECT jobs.status, jobs.error::text, coalesce(runs.step, 0), jobs.id FROM jobs "
        "LEFT JOIN runs ON runs.job_id = jobs.id WHERE jobs.id = ANY(%s)"
    )
    with fleet.database() as database:
        rows = database.execute(query, [jobs.ids]).fetchall()
    for status, error, _, id in rows:
        if status in ("failed", "stopped", "paused"):
            raise JobFailed(f"job {id} is {status}: {error}\n{describe(fleet, jobs)}")
    steps = sum(row[2] for row in rows)
    return max(before, steps / (RUNS * BUDGET)), all(row[0] == "finished" for row in rows)


def describe(fleet: Fleet, jobs: Jobs) -> str:
    query = (
        "SELECT jobs.id, jobs.status, number, workers.name, attempts.end, detail FROM jobs "
        "LEFT JOIN attempts ON attempts.job_id = jobs.id LEFT JOIN workers ON workers.id = attempts.worker_id "
        "WHERE jobs.id = ANY(%s) ORDER BY jobs.id, number"
    )
    with fleet.database() as database:
        rows = database.execute(query, [jobs.ids]).fetchall()
    return "\n".join(" | ".join(map(str, row)) for row in rows)
