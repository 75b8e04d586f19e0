"""How much tuners gain on a task whose best hyper-parameters drift: PBT, the PB2 family, and those of Ray Tune.

    python -m benchmarks.tuning --ray RAY/bin/python       # see `benchmarks.tuning_ray` for what that is
    python -m benchmarks.tuning                            # with the rows of Ray that the page has already

The task is in `benchmarks.tuning_task`. Every method has the same tasks, members and rounds. A method
joins by a line in `CONTESTANTS`.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from typing import Any, NamedTuple

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in a trainer

import jax
import numpy as np

from benchmarks import report
from benchmarks.tuning_task import (
    CATEGORIES,
    LOGARITHMIC,
    NOISE,
    POPULATIONS,
    RANGES,
    ROUNDS,
    TuningTask,
    to_unit,
)
from phylon.registry import methods
from phylon.spec import ExperimentSpec, parse_spec
from phylon.spec.methods.pb2 import PB2FamilySpec
from phylon.worker.core.keys import derive
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams

SEEDS = 40
WINDOW = 128
"""Of the PB2 family, all alike: with the default of 1000 a seed of the mixed task would take minutes."""
CONTESTANTS: dict[str, dict[str, dict[str, Any]]] = {
    "continuous": {"pbt": {}, "pb2": {}, "gpbt_pl": {}, "bg_pbt": {}, "ipbt": {}},
    "mixed": {
        "pbt": {},
        "pbt, names always drawn": {"name": "pbt", "explore": {"name": "perturb", "keep_category": 0.0}},
        "pb2_rand": {},
        "pb2_fixed": {},
        "pb2_indep": {},
        "pb2_mult": {},
        "pb2_mix": {},
        "gpbt_pl": {},
        "bg_pbt": {},
        "ipbt": {},
    },
}
"""By task: each contestant's fields of `population.method`; without a name, the contestant is the method."""
CLAIMS = (
    ("continuous", "pb2", "pbt"),
    ("mixed", "pbt", "pbt, names always drawn"),
    ("mixed", "pb2_rand", "pbt"),
    ("mixed", "pb2_fixed", "pb2_rand"),
    ("mixed", "pb2_indep", "pb2_rand"),
    ("mixed", "pb2_mult", "pb2_rand"),
    ("mixed", "pb2_mix", "pb2_rand"),
    ("mixed", "pb2_mult", "pb2_indep"),
    ("mixed", "pb2_mix", "pb2_indep"),
    ("mixed", "pb2_mix", "pb2_mult"),
    ("mixed", "pb2_mix", "pbt"),
    *((task, method, "pbt") for task in ("continuous", "mixed") for method in ("gpbt_pl", "bg_pbt")),
)
SEGMENT = 16_384
PAGE = report.DOCS / "tuning.md"
RAY_TEXT = (
    "its own schedulers, unchanged, without a cluster. Its PB2 has no logarithmic scale and is given the logarithm of "
    "the learning rate; it has no categories."
)


class Result(NamedTuple):
    task: str
    method: str
    best: list[float]
    """Performance of the best member at the end, one for each seed."""
    evolve_seconds: float | None


def spec_of(method: dict[str, Any], task: str) -> ExperimentSpec:
    """An experiment as a user would write it, of which only the population method runs."""
    numbers = {
        name: {"log_uniform" if name in LOGARITHMIC else "uniform": list(limits)} for name, limits in RANGES.items()
    }
    window = {"window": WINDOW} if issubclass(methods()[method["name"]].spec, PB2FamilySpec) else {}
    categories = {"augmentation": {"choice": list(CATEGORIES)}} if task == "mixed" else {}
    return parse_spec(
        {
            "environment": {"suite": "envpool", "id": "BigfishEasy-v0", "envs_per_member": 64},
            "algorithm": {"name": "drac", **numbers, **categories},
            "population": {"size": POPULATIONS[task], "method": {"interval": SEGMENT, **window, **method}},
            "budget": SEGMENT * ROUNDS[task],
            "evaluation": SEGMENT,
        }
    )


def ours(contestant: str, task: str, seeds: int) -> Result:
    spec = spec_of({"name": contestant, **CONTESTANTS[task][contestant]}, task)
    population_method = build_method(spec)
    evolve = jax.jit(population_method.evolve)
    size, rounds = POPULATIONS[task], ROUNDS[task]
    found: list[float] = []
    durations: list[float] = []
    for seed in range(seeds):
        tuning, key = TuningTask(seed, task == "mixed"), jax.random.key(seed)
        hyperparams = jax.device_get(sample_hyperparams(derive(key, "hyperparams"), spec.algorithm, size))
        state = jax.device_get(population_method.init(derive(key, "method"), hyperparams))
        performance, best_seen = np.zeros(size), -np.inf
        for round in range(rounds):
            performance = performance + gains(tuning, round, hyperparams)
            if round == rounds - 1:
                break
            start = time.perf_counter()
            fitness = performance.astype(np.float32)
            scores = PopulationScores(np.int32((round + 1) * SEGMENT), fitness, fitness[:, None])
            plan = jax.device_get(evolve(derive(key, "evolve", round), state, hyperparams, scores))
            durations.append(time.perf_counter() - start)
            state, hyperparams, performance = plan.method_state, plan.hyperparams, performance[plan.parents]
            best_seen = max(best_seen, float(performance.max()))
            if plan.renewal is not None:  # shrunk weights keep as much of what they had reached; new ones have nothing
                performance = performance * plan.renewal[:, 0]
        is_renewing = plan.renewal is not None  # then the result is the best over all iterations
        found.append(max(best_seen, float(performance.max())) if is_renewing else float(performance.max()))
        print(json.dumps({"method": contestant, "task": task, "seed": seed, "best": found[-1]}), flush=True)
    return Result(task, contestant, found, statistics.median(durations))


def gains(tuning: TuningTask, round: int, hyperparams: dict[str, np.ndarray]) -> np.ndarray:
    def gain(member: int) -> float:
        values = {name: float(hyperparams[name][member]) for name in RANGES}
        category = int(hyperparams["augmentation"][member]) if tuning.is_mixed else 0
        return tuning.gain(round, member, to_unit(values), category)

    return np.array([gain(member) for member in range(len(hyperparams["clip"]))])


def start_ray(python: str, seeds: int) -> subprocess.Popen[str]:
    """It works beside us; what it prints fits into the pipe."""
    return subprocess.Popen(
        [python, "-m", "benchmarks.tuning_ray", str(seeds)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=report.DOCS.parents[1],
    )


def rays(process: subprocess.Popen[str]) -> tuple[list[Result], str]:
    """Results by method and task, and Ray's version."""
    printed, _ = process.communicate()
    if process.returncode:
        sys.exit(f"benchmarks.tuning_ray ended with {process.returncode}; does that interpreter have Ray?")
    print(printed, flush=True)
    lines = [json.loads(text) for text in printed.splitlines()]
    found: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        found.setdefault((line["task"], line["method"]), []).append(line["best"])
    return [Result(task, method, best, None) for (task, method), best in found.items()], lines[0]["version"]


def earlier_rays() -> tuple[list[Result], str]:
    """Those of the page as it is: neither the tasks nor Ray's schedulers have anything to do with our code."""
    text = PAGE.read_text()
    rows = re.findall(r"^(\w+) +(Ray \w+) +([\d. -]+)$", text, re.MULTILINE)
    (version,) = re.findall(r"Ray ([\d.]+): ", text)
    found = [Result(task, method, [float(value) for value in best.split()], None) for task, method, best in rows]
    return found, version


def summary(results: list[Result]) -> str:
    rows: list[list[str]] = []
    for task in CONTESTANTS:
        for result in sorted((r for r in results if r.task == task), key=lambda r: -statistics.mean(r.best)):
            most = statistics.mean(TuningTask(seed, task == "mixed").most() for seed in range(len(result.best)))
            low, middle, high = statistics.quantiles(result.best, n=4)
            seconds = "" if result.evolve_seconds is None else f"{1e3 * result.evolve_seconds:.0f}"
            mean = statistics.mean(result.best)
            rows.append(
                [
                    task,
                    result.method,
                    f"{mean:.2f} ± {standard_error(result.best):.2f}",
                    f"{100 * mean / most:.0f} %",
                    f"{middle:.2f} ({low:.2f} to {high:.2f})",
                    seconds,
                ]
            )
    header = ["task", "method", "best member, mean ± standard error", "of the possible", "median (quartiles)", "ms"]
    return report.table(header, rows)


def comparisons(results: list[Result]) -> str:
    """Seed by seed, because some tasks are harder than others; of two that have not as many, those that both have."""
    by_name = {(result.task, result.method): result.best for result in results}
    pairs = [
        *CLAIMS,
        *(
            (result.task, result.method.split()[1].lower(), result.method)
            for result in results
            if "Ray" in result.method
        ),
    ]
    rows: list[list[str]] = []
    for task, method, other in pairs:
        differences = [a - b for a, b in zip(by_name[task, method], by_name[task, other], strict=False)]
        wins = sum(difference > 0 for difference in differences)
        difference = f"{statistics.mean(differences):+.2f} ± {standard_error(differences):.2f}"
        rows.append([task, f"{method} against {other}", difference, f"{wins} of {len(differences)}"])
    return report.table(["task", "", "difference, mean ± standard error", "seeds won"], rows)


def raw(results: list[Result]) -> str:
    width = max(len(r.method) for r in results)
    lines = [f"{r.task:10} {r.method:{width}} " + " ".join(f"{value:.2f}" for value in r.best) for r in results]
    return "```\n" + "\n".join(lines) + "\n```"


def standard_error(values: list[float]) -> float:
    return statistics.stdev(values) / len(values) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ray", metavar="PYTHON", help="an interpreter that has Ray Tune")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    arguments = parser.parse_args()
    process = start_ray(arguments.ray, arguments.seeds) if arguments.ray else None
    theirs, version = earlier_rays()
    results = [ours(contestant, task, arguments.seeds) for task, names in CONTESTANTS.items() for contestant in names]
    if process:
        theirs, version = rays(process)
    count = len(theirs[0].best)
    report.write(
        "tuning", page([*results, *theirs], arguments.seeds, f"Ray {version}: {RAY_TEXT} {count} seeds of it.")
    )


def page(results: list[Result], seeds: int, ray_text: str) -> str:
    return f"""# Tuning on the fly

Written by `python -m benchmarks.tuning`. {report.machine()}.

A synthetic task (`benchmarks/tuning_task.py`) of {len(RANGES)} numbers whose best values drift, with
{POPULATIONS["continuous"]} members and {ROUNDS["continuous"]} intervals. The mixed task adds {len(CATEGORIES)}
categories, each with best values of its own, of which the best slowly gives way to another one; it has
{POPULATIONS["mixed"]} members and {ROUNDS["mixed"]} intervals. The noise of a gain has a deviation of {NOISE}.
{seeds} seeds, the same for all. Defaults, but for a `window` of {WINDOW} for the PB2 family: after every interval a
quarter (BG-PBT: an eighth) is replaced by copies of the best, and `pbt` and `pb2_rand` inherit categories with
probability 0.5. Where `ipbt` starts again, a shrunk member keeps 0.2 of what it had reached and a new one nothing; its
result is the best over all iterations. Gains add up here, so starting again can only lose. {ray_text}

An earlier form of the mixed task had 4 members, 50 intervals and a best category that changed at once, halfway. On it
neither pb2_mix (+1.8 ± 2.3) nor pb2_mult (+0.2 ± 1.7, then with a fit of its own for each category) was ahead of
pb2_rand beyond chance, though that one did not inherit categories then: one member replaced at a time is too little to
learn four categories from.

{summary(results)}

ms: the median evolution, beside whatever else the machine did.

## Seed by seed

{comparisons(results)}

## Raw numbers

Best member at the end, seeds 0 to {seeds - 1}.

{raw(results)}
"""


if __name__ == "__main__":
    main()
