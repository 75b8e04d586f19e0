"""One agent of Stable-Baselines3 or SBX, trained in a process of its own; its evaluations come out as JSON.

    python -m benchmarks.rivals '{"library": "sb3", "algorithm": "td3", …}'

Needs `pip install torch==2.13.0 stable-baselines3 sbx-rl` beside Phylon.
"""

import json
import os
import sys
import time
from typing import Any


def episode_return(agent: Any, environment: Any, seed: int) -> float:
    """Of a noiseless episode from the start that this seed gives."""
    observation, _ = environment.reset(seed=seed)
    total, is_running = 0.0, True
    while is_running:
        action, _ = agent.predict(observation, deterministic=True)
        observation, reward, terminated, truncated, _ = environment.step(action)
        total += float(reward)
        is_running = not (terminated or truncated)
    return total


def make_agent(job: dict[str, Any]) -> Any:
    """Of the library, algorithm, environment, network and settings that the job names, on all cores that it may use."""
    import numpy as np
    import torch
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.noise import NormalActionNoise

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    if job["library"] == "sb3":
        import stable_baselines3 as library
    else:
        import sbx as library

    environment = make_vec_env(job["environment"], n_envs=job["envs"], seed=job["seed"])
    settings = dict(job["settings"])
    noise = settings.pop("exploration_noise", None)
    if noise is not None:
        size = environment.action_space.shape[0]
        settings["action_noise"] = NormalActionNoise(np.zeros(size), np.full(size, noise))
    activation = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[job["activation"]]
    if job["library"] == "sbx":
        import jax

        activation = {"relu": jax.nn.relu, "tanh": jax.nn.tanh}[job["activation"]]
    policy = {"net_arch": job["hidden"], "activation_fn": activation}
    return getattr(library, job["algorithm"].upper())(
        "MlpPolicy", environment, seed=job["seed"], device="cpu", policy_kwargs=policy, **settings
    )


def train(job: dict[str, Any]) -> dict[str, Any]:
    import gymnasium
    from stable_baselines3.common.callbacks import BaseCallback

    agent = make_agent(job)
    evaluation = gymnasium.make(job["environment"])
    returns: list[float] = []
    spent = 0.0

    class Evaluate(BaseCallback):
        def _on_step(self) -> bool:
            nonlocal spent
            if self.num_timesteps % job["interval"] == 0:
                began = time.perf_counter()
                episodes = [episode_return(self.model, evaluation, seed) for seed in job["seeds"]]
                returns.append(sum(episodes) / len(episodes))
                spent += time.perf_counter() - began
            return True

    began = time.perf_counter()
    agent.learn(job["steps"], callback=Evaluate())
    train_seconds = time.perf_counter() - began - spent
    final = [episode_return(agent, evaluation, seed) for seed in job["final_seeds"]]
    return {"returns": returns, "final": sum(final) / len(final), "train_seconds": train_seconds}


if __name__ == "__main__":
    print(json.dumps(train(json.loads(sys.argv[1]))))
