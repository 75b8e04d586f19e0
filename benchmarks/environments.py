"""How fast each suite steps, through the interface that training uses, and what a reset with new seeds costs.

Sixteen environments in a pool, random actions. The table gives the median over the rounds.
"""

import statistics
import time

import numpy as np

from benchmarks import report
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.environments import HostEnvironments, make_environments

COUNT = 16
ROUNDS = 5
ROUND_SECONDS = 1.0
SPECS = (
    EnvironmentSpec(suite="gymnasium", id="CartPole-v1", stepping="inline"),
    EnvironmentSpec(suite="gymnasium", id="CartPole-v1", stepping="processes"),
    EnvironmentSpec(suite="gymnasium", id="HalfCheetah-v5", stepping="inline"),
    EnvironmentSpec(suite="gymnasium", id="HalfCheetah-v5", stepping="processes"),
    EnvironmentSpec(suite="gymnasium", id="Humanoid-v5", stepping="inline"),
    EnvironmentSpec(suite="gymnasium", id="Humanoid-v5", stepping="processes"),
    EnvironmentSpec(suite="envpool", id="CartPole-v1"),
    EnvironmentSpec(suite="envpool", id="HalfCheetah-v5"),
    EnvironmentSpec(suite="envpool", id="CheetahRun-v1"),
    EnvironmentSpec(suite="envpool", id="HumanoidRun-v1"),
    EnvironmentSpec(suite="envpool", id="Pong-v5"),
    EnvironmentSpec(suite="envpool", id="BigfishEasy-v0"),
    EnvironmentSpec(suite="gymnax", id="CartPole-v1"),
    EnvironmentSpec(suite="gymnax", id="Breakout-MinAtar"),
    EnvironmentSpec(suite="mjx", id="InvertedPendulum-v5"),
    EnvironmentSpec(suite="playground", id="CartpoleBalance"),
    EnvironmentSpec(suite="brax", id="inverted_pendulum"),
    EnvironmentSpec(suite="probe", id="ActionReward-v0"),
)


def measure(spec: EnvironmentSpec) -> list[str]:
    """A row of the table."""
    environments = make_environments(spec, COUNT)
    try:
        environments.reset(np.arange(COUNT))
        steps_per_second(environments, 0.2)  # compiles what is to be compiled
        rates = [steps_per_second(environments, ROUND_SECONDS) for _ in range(ROUNDS)]
        start = time.perf_counter()
        environments.reset(np.arange(COUNT) + COUNT)
        reset_seconds = time.perf_counter() - start
    finally:
        environments.close()
    stepping = spec.stepping if spec.suite == "gymnasium" else ""
    return [spec.suite, spec.id, stepping, f"{statistics.median(rates):,.0f}", f"{reset_seconds:.2f}"]


def steps_per_second(environments: HostEnvironments, seconds: float) -> float:
    info, random = environments.info, np.random.default_rng(0)
    if info.is_discrete:
        actions = random.integers(info.action_size, size=(64, COUNT)).astype(np.int32)
    else:
        actions = random.uniform(-1, 1, (64, COUNT, info.action_size)).astype(np.float32)
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        environments.step(actions[calls % len(actions)])
        calls += 1
    return calls * COUNT / (time.perf_counter() - start)


if __name__ == "__main__":
    header = ["suite", "environment", "stepping", "steps/s", "reset, s"]
    body = report.table(header, [measure(spec) for spec in SPECS])
    report.write("environments", f"# Environments\n\n{__doc__}\n{report.machine()}.\n\n{body}\n")
