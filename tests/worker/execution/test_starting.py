"""Fresh members where they once hung: large orthogonal weights, split over CPU devices, in a trainer's own set-up."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

START = """
import jax
jax.config.update("jax_cpu_enable_async_dispatch", False)  # as the trainer does, before anything runs
import numpy as np
from phylon.spec import MLPSpec, SACSpec, hyperparameters
from phylon.spec.algorithms.convolutions import CNNSpec
from phylon.spec.algorithms.drac import DrACSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution import Workload, build_execution

def founders(spec, info):
    typical = hyperparameters(spec)
    execution = build_execution("sharded", Workload(lambda: build_algorithm(spec, info), info, 2, typical))
    hyperparams = execution.place({name: np.full(2, value, np.float32) for name, value in typical.items()})
    for _ in range(20):  # not every time did it hang
        population = jax.device_get(execution.init(np.zeros(2, np.uint32), hyperparams))
    return population

spec = SACSpec(name="sac", network=MLPSpec(hidden=(256, 256), init="orthogonal"))
population = founders(spec, EnvironmentInfo(observation_shape=(17,), action_size=6, max_episode_steps=None))
kernel = population.policy["params"]["hidden_1"]["kernel"]
np.testing.assert_allclose(kernel[0].T @ kernel[0], 2 * np.eye(256), atol=1e-4)

network = CNNSpec(kind="cnn", channels=(16, 32), kernels=(8, 4), strides=(4, 2), hidden=(64,), init="orthogonal")
spec = DrACSpec(name="drac", network=network)
founders(spec, EnvironmentInfo((64, 64, 3), action_size=15, max_episode_steps=None, is_discrete=True))
"""


def test_large_orthogonal_weights_start():
    """Decompositions of several members' weights at once never ended, on two devices or in a large network on one."""
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
    }
    subprocess.run([sys.executable, "-c", START], cwd=ROOT, env=environment, check=True, timeout=120)
