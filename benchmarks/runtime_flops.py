"""How near a population update of TD3 comes to what the cores can multiply.

The limit is a product of two large matrices by PyTorch's library on all cores, measured in turns with the updates.
Counted are the products of an update alone, with a policy step at each (delay 1); everything else is overhead.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import Bar

OBSERVATIONS, ACTIONS, WIDTH, BATCH, UPDATES, CRITICS = 17, 6, 256, 256, 50, 2
POPULATIONS = (8, 16)
SIDE, REPEATS = 2048, 7


def flops_of_update() -> int:
    """Of one member: two for each weight and row, once a pass forward, and once more for each gradient taken."""
    hidden = WIDTH * WIDTH
    actor = OBSERVATIONS * WIDTH + hidden + WIDTH * ACTIONS
    critic = (OBSERVATIONS + ACTIONS) * WIDTH + hidden + WIDTH
    targets = actor + CRITICS * critic
    # forward, gradients of all weights, and of the inputs of all layers but the first
    critics = CRITICS * (2 * critic + hidden + WIDTH)
    through_critic = critic + (ACTIONS * WIDTH + hidden + WIDTH)  # forward, and back to the action
    policy = 2 * actor + hidden + WIDTH * ACTIONS + through_critic
    return 2 * BATCH * (targets + critics + policy)


def measure(size: int, folder: Path) -> dict[str, float]:
    """In this process: milliseconds of a population update and of a product, in turns."""
    from phylon.worker.core.startup import one_cpu_device_per_core

    one_cpu_device_per_core(most=size)
    import torch

    from phylon.spec import StudyCell
    from phylon.worker.studies.contender import Task
    from phylon.worker.studies.jax_contender import JaxContender

    cores = sorted(os.sched_getaffinity(0))
    torch.set_num_threads(len(cores))
    left, right = torch.rand(SIDE, SIDE), torch.rand(SIDE, SIDE)
    cell = StudyCell(
        **{"algorithm": "td3", "framework": "jax", "strategy": "auto", "compiled": False, "population_size": size},
        **{"fused_updates": UPDATES, "batch_size": BATCH, "hidden": (WIDTH, WIDTH)},
    )
    contender = JaxContender(Task(cell, size, tuple(cores), "cpu", 1, str(folder)), {"policy_delay": 1.0})

    def multiply() -> None:
        torch.mm(left, right)

    def timed(work: Callable[[], None]) -> float:
        time.sleep(0.05)  # thread pools spin for a moment before they sleep
        began = time.perf_counter()
        work()
        return 1e3 * (time.perf_counter() - began)

    for work in (contender.call, multiply) * 2:
        work()
    turns = [(timed(contender.call) / UPDATES, timed(multiply)) for _ in range(REPEATS)]
    update, product = (statistics.median(column) for column in zip(*turns, strict=True))
    return {"update_ms": update, "product_ms": product}


def bars() -> list[Bar]:
    found: list[Bar] = []
    for size in POPULATIONS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "benchmarks.runtime_flops", str(size), folder]
            raw = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        ours = size * flops_of_update() / raw["update_ms"] / 1e6
        limit = 2 * SIDE**3 / raw["product_ms"] / 1e6
        text = (
            f"{raw['update_ms']:.1f} ms for {size} x {flops_of_update() / 1e9:.3f} GFLOP = {ours:.0f} GFLOP/s; "
            f"product of {SIDE} x {SIDE}: {limit:.0f} GFLOP/s"
        )
        found.append(
            Bar(f"TD3 update with delay 1, P = {size}, of the flop limit", 70, 100 * ours / limit, text, unit=" %")
        )
    return found


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), Path(sys.argv[2]))))
