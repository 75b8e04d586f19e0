"""Do our algorithms learn as well as others'? TD3, SAC, DDPG, DQN and PPO beside Stable-Baselines3 and SBX.

Same environments, networks, hyper-parameters and evaluation for all. Each library runs on ONE core (our seeds as one
population of independent members; theirs as one process per seed). What is compared is the final return: the mean over
fifty noiseless episodes after training, from starts that no one has seen before. Also: what a high replay ratio with
resets gains (SR-SAC).

    taskset -c 0 python -m benchmarks.learning phylon sb3 &     # measures these contestants alone
    taskset -c 1 python -m benchmarks.learning sbx
    python -m benchmarks.learning                               # measures what is missing, and writes the document

Results are appended to RESULTS, which is kept with the sources: what a table says can be checked, and an interrupted
benchmark continues where it was. Delete the file to start over.
Needs `pip install torch==2.13.0 stable-baselines3 sbx-rl "gymnasium[box2d]"`.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks import report
from phylon.contract.events import Metrics
from phylon.spool import SPOOL_FILE, SpoolReader
from phylon.worker.training.randomness import environment_seeds

RESULTS = report.rows_file("learning")
SEEDS = 5
EPISODES = 10
"""Of an evaluation during training."""
FINAL_EPISODES = 50
STUDENT_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
"""97.5 % quantiles by degrees of freedom."""


class Task(NamedTuple):
    """An algorithm on an environment."""

    algorithm: str
    environment: str
    steps: int
    interval: int
    """Steps between evaluations."""
    hidden: tuple[int, ...]
    ours: dict[str, Any]
    """Settings of our algorithm beside the network."""
    theirs: dict[str, Any]
    replay: dict[str, Any] | None = None
    envs: int = 1
    activation: str = "relu"
    init: str = "uniform"
    segment_steps: int | None = None
    suite: str = "gymnasium"


def off_policy(algorithm: str, environment: str, steps: int, warmup: int, rate: float, batch: int, width: int) -> Task:
    ours: dict[str, Any] = {"batch_size": batch, "policy_learning_rate": rate, "critic_learning_rate": rate}
    theirs: dict[str, Any] = {
        "batch_size": batch,
        "learning_rate": rate,
        "buffer_size": steps,
        "learning_starts": warmup,
        "gamma": 0.99,
        "tau": 0.005,
        "train_freq": 1,
        "gradient_steps": 1,
    }
    if algorithm == "sac":
        ours["temperature_learning_rate"] = rate
    else:
        ours["exploration_noise"] = theirs["exploration_noise"] = 0.1
    replay = {"capacity": steps, "ratio": 1.0, "warmup": warmup}
    return Task(algorithm, environment, steps, steps // 10, (width, width), ours, theirs, replay)


def on_policy(
    environment: str,
    rollouts: int,
    envs: int,
    length: int,
    epochs: int,
    batch: int,
    rate: float,
    suite: str = "gymnasium",
) -> Task:
    size = envs * length
    ours = {
        "rollout_steps": length,
        "epochs": epochs,
        "minibatches": size // batch,
        "learning_rate": rate,
        "value_clip": False,
        "reward_normalisation": False,
    }
    theirs = {
        "n_steps": length,
        "batch_size": batch,
        "n_epochs": epochs,
        "learning_rate": rate,
        "gamma": 0.99,
        "gae_lambda": 0.95,
        "clip_range": 0.2,
        "ent_coef": 0.0,
        "vf_coef": 0.5,
        "max_grad_norm": 0.5,
    }
    steps = size * rollouts
    interval = size * (rollouts // 6)
    network = {"hidden": (64, 64), "activation": "tanh", "init": "orthogonal"}
    return Task("ppo", environment, steps, interval, ours=ours, theirs=theirs, envs=envs, suite=suite, **network)


def dqn(environment: str, blocks: int, rate: float = 2.3e-3, suite: str = "gymnasium") -> Task:
    """The settings of RL Baselines3 Zoo for CartPole: 256 steps, then 128 updates towards a fixed target."""
    steps = 256 * blocks
    ours = {
        "batch_size": 64,
        "learning_rate": rate,
        "target_period": 128,
        "final_epsilon": 0.04,
        "epsilon_decay": 0.16 * steps / 2,  # in updates
    }
    theirs = {
        "batch_size": 64,
        "learning_rate": rate,
        "buffer_size": steps,
        "learning_starts": 1024,
        "gamma": 0.99,
        "tau": 1.0,
        "train_freq": 256,
        "gradient_steps": 128,
        "target_update_interval": 10,
        "exploration_initial_eps": 1.0,
        "exploration_final_eps": 0.04,
        "exploration_fraction": 0.16,
    }
    replay = {"capacity": steps, "ratio": 0.5, "warmup": 1024}
    structure = {"hidden": (256, 256), "segment_steps": 256, "suite": suite}
    return Task("dqn", environment, steps, steps // 10, ours=ours, theirs=theirs, replay=replay, **structure)


TASKS = (
    *(off_policy(name, "Pendulum-v1", 10_000, 1_000, 1e-3, 128, 64) for name in ("td3", "sac", "ddpg")),
    dqn("CartPole-v1", blocks=200),
    on_policy("CartPole-v1", rollouts=48, envs=8, length=128, epochs=10, batch=128, rate=1e-3),
    dqn("Acrobot-v1", blocks=200, rate=6.3e-4),
    on_policy("Acrobot-v1", rollouts=48, envs=8, length=128, epochs=10, batch=128, rate=1e-3),
    dqn("LunarLander-v3", blocks=400, rate=6.3e-4, suite="envpool"),
    on_policy("LunarLander-v3", rollouts=96, envs=8, length=256, epochs=4, batch=128, rate=1e-3, suite="envpool"),
    on_policy("HalfCheetah-v5", rollouts=24, envs=1, length=2048, epochs=10, batch=64, rate=3e-4),
    *(
        off_policy(name, environment, 50_000, 5_000, 3e-4, 128, 128)
        for environment in ("HalfCheetah-v5", "Hopper-v5", "Walker2d-v5")
        for name in ("td3", "sac")
    ),
)

SWINGUP = {"suite": "envpool", "id": "CartpoleSwingup-v1"}
SWINGUP_STEPS, SWINGUP_INTERVAL, SWINGUP_RESETS = 12_000, 1_000, 32_000
SWINGUP_GOAL = 250.0
RATIOS: dict[str, dict[str, Any]] = {
    "ratio 1": {"ratio": 1.0},
    "ratio 8, resets": {"ratio": 8.0, "resets": SWINGUP_RESETS},
}


def our_spec(task: Task) -> dict[str, Any]:
    network = {"hidden": list(task.hidden), "activation": task.activation, "init": task.init}
    if task.algorithm == "dqn":
        network["kind"] = "mlp"
    spec: dict[str, Any] = {
        "name": f"{task.algorithm}-learning",
        "environment": {"suite": task.suite, "id": task.environment, "envs_per_member": task.envs},
        "algorithm": {"name": task.algorithm, "network": network, **task.ours},
        "population": {"size": SEEDS, "method": {"name": "independent"}},
        "budget": {"env_steps": task.steps},
        "evaluation": {"interval": task.interval, "episodes": EPISODES, "final": FINAL_EPISODES},
        "metrics": {"interval": task.interval},
        "checkpoint": {"interval": task.steps},
        "execution": {"segment_steps": task.segment_steps},
    }
    return spec | ({"replay": task.replay} if task.replay else {})


def swingup_spec(ratio: float, resets: int | None = None) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "name": "sr-sac",
        "environment": SWINGUP,
        "algorithm": {
            "name": "sac",
            "batch_size": 128,
            "network": {"hidden": [64, 64], "init": "orthogonal"},
            "target_entropy_scale": 0.5,
        },
        "population": {"size": SEEDS, "method": {"name": "independent"}},
        "replay": {"capacity": SWINGUP_STEPS, "ratio": ratio, "warmup": 1_000},
        "budget": {"env_steps": SWINGUP_STEPS},
        "evaluation": {"interval": SWINGUP_INTERVAL, "episodes": 3, "final": FINAL_EPISODES},
        "metrics": {"interval": SWINGUP_INTERVAL},
        "checkpoint": {"interval": SWINGUP_STEPS},
        "execution": {"strategy": "sequential", "segment_steps": 10},
    }
    return spec | ({"resets": {"interval": resets}} if resets else {})


def run_on_one_core(command: Sequence[str]) -> tuple[str, float, float]:
    """What it printed, wall seconds, and processor seconds of it and its children."""
    core = max(os.sched_getaffinity(0))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, time.perf_counter() - began, processor


def train_ours(spec: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "spec.yaml", Path(folder) / "run"
        file.write_text(yaml.safe_dump(spec))
        phylon = str(Path(sys.executable).with_name("phylon"))
        _, wall, processor = run_on_one_core([phylon, "train", str(file), "--out", str(out)])
        events = SpoolReader(out / SPOOL_FILE).read()
    frames = [event for event in events if isinstance(event, Metrics)]
    evaluations = [event.frames["evaluation/return"] for event in frames if "evaluation/return" in event.frames]
    seconds: dict[str, float] = {}
    for event in frames:
        for name, values in event.frames.items():
            if name.startswith("time/"):
                seconds[name] = seconds.get(name, 0.0) + values[0]
    train = sum(value for name, value in seconds.items() if name != "time/evaluate")
    return {
        "returns": [list(member) for member in zip(*evaluations, strict=True)],
        "finals": next(event.frames["final/return"] for event in frames if "final/return" in event.frames),
        "wall": wall,
        "processor": processor,
        "train_seconds": train,
    }


def train_theirs(task: Task, library: str, seed: int) -> dict[str, Any]:
    job = {
        "library": library,
        "algorithm": task.algorithm,
        "environment": task.environment,
        "seed": seed,
        "envs": task.envs,
        "steps": task.steps,
        "interval": task.interval,
        "seeds": environment_seeds(seed, "evaluation", 0, EPISODES).tolist(),
        "final_seeds": environment_seeds(seed, "final", 0, FINAL_EPISODES).tolist(),
        "hidden": list(task.hidden),
        "activation": task.activation,
        "settings": task.theirs,
    }
    output, wall, processor = run_on_one_core([sys.executable, "-m", "benchmarks.rivals", json.dumps(job)])
    result = json.loads(output.splitlines()[-1])
    return {
        "returns": [result["returns"]],
        "finals": [result["final"]],
        "wall": wall,
        "processor": processor,
        "train_seconds": result["train_seconds"],
    }


def name_of(task: Task, contestant: str) -> str:
    return f"{task.algorithm} {task.environment} {contestant}"


def measurements(contestants: Sequence[str]) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Name and call of each: ours train all seeds at once, theirs one after the other."""
    if "phylon" in contestants:
        for name, ratio in RATIOS.items():
            yield f"swingup {name}", partial(train_ours, swingup_spec(**ratio))
    for task in TASKS:
        for who in contestants:
            if who == "phylon":
                yield name_of(task, who), partial(train_ours, our_spec(task))
            else:
                for seed in range(SEEDS):
                    yield f"{name_of(task, who)} seed {seed}", partial(train_theirs, task, who, seed)


def measure_all(contestants: Sequence[str]) -> dict[str, dict[str, Any]]:
    """All results by name, after measuring what is missing of these contestants."""
    known = {row["what"]: row for row in report.read_rows(RESULTS)}
    for what, measure in measurements(contestants):
        if what not in known:
            row = known[what] = {"what": what, **measure()}
            report.append_row(RESULTS, row)
            print(what, [round(value, 1) for value in row["finals"]], f"{row['wall']:.0f} s", flush=True)
    return known


def found_by(known: dict[str, dict[str, Any]], task: Task, contestant: str) -> dict[str, Any]:
    """What a contestant found with all seeds."""
    if contestant == "phylon":
        return known[name_of(task, contestant)]
    seeds = [known[f"{name_of(task, contestant)} seed {seed}"] for seed in range(SEEDS)]
    return {
        "finals": [value for row in seeds for value in row["finals"]],
        "wall": sum(row["wall"] for row in seeds),
        "processor": sum(row["processor"] for row in seeds),
    }


CONTESTANTS = ("phylon", "sb3", "sbx")
NAMES = {"phylon": "Phylon", "sb3": "Stable-Baselines3", "sbx": "SBX"}


def half_width(values: Sequence[float]) -> float:
    """Of the 95 % interval of the mean, by Student's t."""
    return STUDENT_T[len(values) - 1] * statistics.stdev(values) / len(values) ** 0.5


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Ours minus theirs, and half of its 95 % interval (Welch, degrees of freedom rounded down)."""
    a, b = statistics.variance(ours) / len(ours), statistics.variance(theirs) / len(theirs)
    if a + b == 0:
        return statistics.fmean(ours) - statistics.fmean(theirs), 0.0
    freedom = (a + b) ** 2 / (a**2 / (len(ours) - 1) + b**2 / (len(theirs) - 1))
    t = STUDENT_T[max(1, min(int(freedom), max(STUDENT_T)))]
    return statistics.fmean(ours) - statistics.fmean(theirs), t * (a + b) ** 0.5


def comparison(known: dict[str, dict[str, Any]]) -> str:
    rows: list[list[str]] = []
    for task in TASKS:
        ours = found_by(known, task, "phylon")["finals"]
        for who in CONTESTANTS:
            found = found_by(known, task, who)
            finals = found["finals"]
            if who == "phylon":
                verdict = ""
            else:
                gap, half = difference(ours, finals)
                word = "no worse" if gap + half >= 0 else "WORSE"
                verdict = f"{gap:+,.0f} ± {half:,.0f}: {word}"
            rows.append(
                [
                    f"{task.algorithm.upper()}, {task.environment}, {task.steps:,} steps" if who == "phylon" else "",
                    NAMES[who],
                    " ".join(f"{value:,.0f}" for value in finals),
                    f"{statistics.fmean(finals):,.0f} ± {half_width(finals):,.0f}",
                    verdict,
                    f"{found['processor'] / len(finals):.0f}",
                ]
            )
    header = [
        "task",
        "by",
        "each seed",
        "mean, 95 % interval",
        "ours minus theirs",
        "CPU s per seed",
    ]
    return report.table(header, rows)


def replay_ratios(known: dict[str, dict[str, Any]]) -> str:
    rows: list[list[str]] = []
    for name in RATIOS:
        returns = known[f"swingup {name}"]["returns"]
        reached: list[str] = []
        for member in returns:
            first = next((at for at, value in enumerate(member) if value >= SWINGUP_GOAL), None)
            reached.append("never" if first is None else f"{(first + 1) * SWINGUP_INTERVAL:,}")
        areas = [statistics.fmean(member) for member in returns]
        finals = known[f"swingup {name}"]["finals"]
        rows.append(
            [
                name,
                " ".join(reached),
                f"{statistics.fmean(areas):.0f} ± {half_width(areas):.0f}",
                f"{statistics.fmean(finals):.0f} ± {half_width(finals):.0f}",
                f"{known[f'swingup {name}']['processor']:.0f}",
            ]
        )
    header = [
        "SAC",
        f"steps to a return of {SWINGUP_GOAL:.0f}, each seed",
        "mean return over all evaluations",
        "return at the end",
        "CPU s, five seeds",
    ]
    return report.table(header, rows)


def main() -> None:
    known = measure_all(sys.argv[1:] or CONTESTANTS)
    if sys.argv[1:]:
        return
    packages = ("stable-baselines3", "sbx-rl", "torch", "gymnasium", "envpool")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    report.write(
        "learning",
        f"# Learning beside Stable-Baselines3 and SBX\n\nWritten by `python -m benchmarks.learning`. "
        f"{report.machine()}; {versions}.\n\n"
        f"Every library has one core. {SEEDS} seeds each: ours as one population, theirs one by one. A seed's number "
        f"is its final return: the mean of {FINAL_EPISODES} noiseless episodes after training, from starts that were "
        "not used before. "
        "“No worse”: the 95 % interval of the difference (Welch) reaches zero or above. Processor time "
        "includes start, compilation and evaluation, divided by the seeds. The time by the clock is in the raw "
        f"results, and compares nothing: other work shared the machine.\n\n{comparison(known)}\n\n"
        "## A high replay ratio with resets (SR-SAC)\n\n"
        f"SAC on dm_control's {SWINGUP['id']}, {SWINGUP_STEPS:,} steps, (64, 64), batch 128, {SEEDS} seeds; an "
        f"evaluation every {SWINGUP_INTERVAL:,} steps; all weights and optimisers reset every {SWINGUP_RESETS:,} "
        "updates.\n\n"
        f"{replay_ratios(known)}\n",
    )


if __name__ == "__main__":
    main()
