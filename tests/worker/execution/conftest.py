"""A small TD3 population and batches to train it with."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from phylon.spec import MLPSpec, TD3Spec, hyperparameters
from phylon.spec.experiment import ExecutionSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.execution import Execution, Workload, build_execution

SIZE, UPDATES, BATCH, OBSERVATION, ACTION = 4, 6, 8, 3, 2
KEY = np.array([1, 2], np.uint32)


class Setting(NamedTuple):
    work: Workload
    hyperparams: dict[str, np.ndarray]
    """A different value for each member, so that a mix-up shows."""
    batches: Transition[Any]

    def build(self, strategy: Any) -> Execution:
        return build_execution(strategy, self.work, ExecutionSpec(strategy=strategy, processes=2))

    def start(self, execution: Execution) -> Any:
        return execution.init(KEY, execution.place(self.hyperparams))

    def train(self, execution: Execution, population: Any, first: int = 0, **changed: np.ndarray) -> Any:
        """(population, report) after a call's updates, of which the first has that number."""
        hyperparams, batches = execution.place({**self.hyperparams, **changed}), execution.place_batches(self.batches)
        return execution.update(population, hyperparams, batches, KEY, first)


@pytest.fixture(scope="session")
def setting() -> Setting:
    spec = TD3Spec(name="td3", batch_size=BATCH, network=MLPSpec(hidden=(16, 16)))
    info = EnvironmentInfo((OBSERVATION,), ACTION, 100)
    random = np.random.default_rng(0)
    spread = np.linspace(0.5, 1.5, SIZE, dtype=np.float32)
    hyperparams = {name: np.float32(value) * spread for name, value in hyperparameters(spec).items()}
    hyperparams["policy_delay"] = np.array([1, 2, 3, 4], np.float32)
    hyperparams["discount"] = np.linspace(0.9, 0.99, SIZE, dtype=np.float32)

    def field(*shape: int) -> np.ndarray:
        return random.standard_normal((SIZE, UPDATES, BATCH, *shape), np.float32)

    batches = Transition(
        field(OBSERVATION), field(ACTION), field(), (field() > 1).astype(np.float32), field(OBSERVATION)
    )
    work = Workload(partial(build_algorithm, spec, info), info, SIZE, hyperparameters(spec))
    return Setting(work, hyperparams, batches)


@pytest.fixture(scope="session", params=["sequential", "parallel", "vectorized", "sharded"])
def execution(request: pytest.FixtureRequest, setting: Setting) -> Iterator[Execution]:
    execution = setting.build(request.param)
    yield execution
    execution.close()


@pytest.fixture
def compilations() -> Iterator[list[str]]:
    """What JAX says of tracing and compiling, here and in the processes of an execution."""
    events: list[str] = []

    def record(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event.startswith("/jax/core/compile/"):
            events.append(event)

    jax.monitoring.register_event_duration_secs_listener(record)
    yield events
    jax.monitoring.unregister_event_duration_listener(record)


@pytest.fixture(scope="session")
def members_one_by_one(setting: Setting) -> list[Any]:
    """Each member trained by itself, by plain calls of the algorithm: what every strategy must reproduce."""
    from phylon.worker.core.keys import derive

    algorithm, update = setting.work.algorithm, jax.jit(setting.work.algorithm.update)
    run_key = jax.random.wrap_key_data(jax.numpy.asarray(KEY))
    trained: list[Any] = []
    for slot in range(SIZE):
        hyperparams = {name: jax.numpy.asarray(values[slot]) for name, values in setting.hyperparams.items()}
        state = algorithm.init(derive(run_key, "init", slot), hyperparams)
        metrics: list[Any] = []
        for number in range(UPDATES):
            batch = jax.tree.map(lambda values, number=number: values[slot, number], setting.batches)  # noqa: B023
            state, measured = update(state, hyperparams, batch, derive(run_key, "update", slot, number))
            metrics.append(jax.device_get(measured))
        means = {name: np.mean([values[name] for values in metrics]) for name in metrics[0]}
        trained.append((jax.device_get(state), means))
    return trained
