"""How fast one agent of Stable-Baselines3 or SBX trains; runs in its own process and prints a single number.

    python -m benchmarks.runtime_rivals sb3 td3

One environment, one gradient step per environment step, on all cores. Steps count after the warm-up and after
SBX's compilation. Needs `pip install torch==2.13.0 stable-baselines3 sbx-rl "gymnasium[mujoco]"` where it runs.
"""

import sys
import time
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from benchmarks.rivals import make_agent

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
    settings: dict[str, Any] = {"learning_starts": WARMUP, "batch_size": 256, "train_freq": 1, "gradient_steps": 1}
    if algorithm == "td3":
        settings |= {"policy_delay": 2, "exploration_noise": 0.1}
    agent = make_agent(
        {
            **{"library": library, "algorithm": algorithm, "environment": "HalfCheetah-v5", "envs": 1, "seed": 0},
            **{"hidden": [256, 256], "activation": "relu", "settings": settings},
        }
    )
    clock = Clock()
    agent.learn(WARMUP + UNCOUNTED + COUNTED, callback=clock)
    return COUNTED / (clock.ended - clock.began)


if __name__ == "__main__":
    print(steps_per_second(*sys.argv[1:]))
