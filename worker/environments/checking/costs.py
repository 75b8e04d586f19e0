"""What an environment costs: time per step, alone and in a pool, and memory per copy."""

import os
import time
from collections.abc import Iterator

import numpy as np
import psutil

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.environments import make_environments
from phylon.worker.environments.checking.episodes import random_actions
from phylon.worker.environments.checking.finding import Finding
from phylon.worker.environments.host import HostEnvironments

COPIES = 8
SECONDS, MOST_STEPS = 0.5, 2_000
SLOW_STEPS_PER_SECOND = 200.0
LARGE_COPY = 100 * 2**20


def check_costs(environment: EnvironmentSpec) -> Iterator[Finding]:
    before = psutil.Process().memory_info().rss
    pool = make_environments(environment.model_copy(update={"stepping": "inline"}), COPIES)
    try:
        pool.reset(np.arange(COPIES))
        copy = max(0, psutil.Process().memory_info().rss - before) / COPIES
        alone = measure(pool)
    finally:
        pool.close()
    pooled = make_environments(environment, COPIES)
    try:
        pooled.reset(np.arange(COPIES))
        together = measure(pooled)
    finally:
        pooled.close()
    cores = len(os.sched_getaffinity(0))
    is_slow = max(alone, together) < SLOW_STEPS_PER_SECOND
    yield Finding(
        "speed",
        "slow" if is_slow else "ok",
        f"{alone:,.0f} steps/s one after the other, {together:,.0f} in a pool of {COPIES} on {cores} cores",
        f"a million steps of a member take {1e6 / max(alone, together) / 3600:.1f} h; make `step` cheaper, or use more "
        "cores"
        if is_slow
        else "",
    )
    yield Finding(
        "memory",
        "slow" if copy > LARGE_COPY else "ok",
        f"about {copy / 2**20:.1f} MB for each copy",
        "a population needs population.size x (envs_per_member + evaluation.episodes) copies: keep these small"
        if copy > LARGE_COPY
        else "",
    )


def measure(pool: HostEnvironments) -> float:
    """Steps of all environments per second."""
    actions = random_actions(pool.info, 64, pool.count)
    pool.step(actions[0])
    began, steps = time.perf_counter(), 0
    while steps < MOST_STEPS and time.perf_counter() - began < SECONDS:
        pool.step(actions[steps % len(actions)])
        steps += 1
    return steps * pool.count / (time.perf_counter() - began)
