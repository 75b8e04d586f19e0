"""How fast one agent of Stable-Baselines3 or SBX trains; a process of its own, whose only output is a number.

    python -m benchmarks.runtime_rivals sb3 td3

One environment, one gradient step a step, on all cores. Steps count after the warm-up and after what SBX compiles.
Needs `pip install torch==2.13.0 stable-baselines3 sbx-rl "gymnasium[mujoco]"` where it runs.
"""

import os
import sys
import time
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.noise import NormalActionNoise

WARMUP, UNCOUNTED, COUNTED = 500, 500, 1500


class Clock(BaseCallback):
    began = ended = 0.0

    def _on_step(self) -> bool:
        if self.num_timesteps == WARMUP + UNCOUNTED:
            self.began = time.perf_counter()
        if self.num_timesteps == WARMUP + UNCOUNTED + COUNTED:
            self.ended = time.perf_counter()
        return True


def steps_per_second(library: str, algorithm: str) -> float:
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    settings: dict[str, Any] = {"learning_starts": WARMUP, "batch_size": 256, "train_freq": 1, "gradient_steps": 1}
    if algorithm == "td3":
        settings |= {"policy_delay": 2, "action_noise": NormalActionNoise(np.zeros(6), np.full(6, 0.1))}
    if library == "sb3":
        import stable_baselines3 as module
    else:
        import sbx as module
    agent = getattr(module, algorithm.upper())(
        "MlpPolicy", "HalfCheetah-v5", policy_kwargs={"net_arch": [256, 256]}, device="cpu", seed=0, **settings
    )
    clock = Clock()
    agent.learn(WARMUP + UNCOUNTED + COUNTED, callback=clock)
    return COUNTED / (clock.ended - clock.began)


if __name__ == "__main__":
    print(steps_per_second(*sys.argv[1:]))
