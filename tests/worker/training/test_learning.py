"""TD3 with PBT learns to swing up a pendulum: the whole engine at work, over two seeds."""

import numpy as np
import pytest

from .runs import frames_of

SPEC = {
    "version": 1,
    "name": "pendulum",
    "kind": "training",
    "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
    "algorithm": {
        "name": "td3",
        "batch_size": 128,
        "network": {"hidden": [64, 64]},
        "policy_learning_rate": {"log_uniform": [5e-4, 3e-3]},
        "critic_learning_rate": {"log_uniform": [5e-4, 3e-3]},
        "discount": 0.98,
    },
    "population": {"size": 4, "method": {"name": "pbt", "interval": 2000}},
    "replay": {"capacity": 12_000, "ratio": 1.0, "warmup": 1000},
    "budget": {"env_steps": 12_000},
    "evaluation": {"interval": 2000, "episodes": 10},
    "metrics": {"interval": 2000},
    "checkpoint": {"interval": 12_000},
    "execution": {"strategy": "sharded", "segment_steps": 50},
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_pendulum(seed, train_here):
    returns = frames_of(train_here(SPEC, seed=seed), "evaluation/return")
    final = np.array(returns[12_000])
    assert np.median(final) > -250, f"seed {seed}: {returns}"
