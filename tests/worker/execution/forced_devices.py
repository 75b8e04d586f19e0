"""Run by `test_many_devices` in a process that has eight devices: populations on some of them, as JSON."""

import json
import sys
from typing import Any

import jax
import numpy as np

from phylon.spec import MLPSpec, TD3Spec, hyperparameters
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import Algorithm, EnvironmentInfo, Transition
from phylon.worker.execution import Execution, Workload, build_execution, checksum
from phylon.worker.execution.compilation import MEMBER_AXIS, compile_over_devices

KEY, UPDATES, BATCH = np.array([1, 2], np.uint32), 3, 4
INFO = EnvironmentInfo((3,), 2, 100)
SPEC = TD3Spec(name="td3", batch_size=BATCH, network=MLPSpec(hidden=(4,)))


def td3() -> Algorithm:
    return build_algorithm(SPEC, INFO)


def td3_that_says_where() -> Algorithm:
    """Its metrics name the device that computed them."""
    algorithm = td3()

    def update(*arguments: Any) -> Any:
        state, metrics = algorithm.update(*arguments)
        return state, metrics | {"device": jax.lax.axis_index(MEMBER_AXIS).astype(np.float32)}

    return algorithm._replace(update=update)


def make_batches(members: int) -> Transition[Any]:
    """A member's do not depend on how many there are."""

    def field(*shape: int) -> Any:
        return np.stack(
            [
                np.random.default_rng([slot, *shape]).standard_normal((UPDATES, BATCH, *shape), np.float32)
                for slot in range(members)
            ]
        )

    return Transition(field(3), np.tanh(field(2)), field(), np.zeros((members, UPDATES, BATCH), np.float32), field(3))


def train(execution: Execution, members: int) -> dict[str, Any]:
    rates = {name: np.full(members, value, np.float32) for name, value in hyperparameters(SPEC).items()}
    rates["policy_learning_rate"] = np.linspace(1e-4, 1e-2, 13, dtype=np.float32)[:members]
    placed = execution.place(rates)
    population = execution.init(KEY, placed)
    for call in range(2):
        batches = execution.place_batches(make_batches(members))
        population, report = execution.update(population, placed, batches, KEY, UPDATES * call)
    trained = checksum(population)
    reversed_order = np.arange(members, dtype=np.int32)[::-1]
    gathered = execution.gather(population, reversed_order)
    leaves, new = jax.tree.leaves(population), jax.tree.leaves(gathered)
    return {
        "weights": trained.tolist(),
        "gathered": checksum(gathered).tolist(),
        "rows": sorted({len(leaf) for leaf in leaves + new}),
        "stays": all(a.sharding.is_equivalent_to(b.sharding, a.ndim) for a, b in zip(leaves, new, strict=True)),
        "rates": np.array_equal(report.hyperparams["policy_learning_rate"], rates["policy_learning_rate"]),
        "computed_by": np.asarray(report.metrics.get("device", np.zeros(members))).astype(int).tolist(),
        "devices": len(execution.devices),
    }


def over_rows(members: int, devices: int) -> list[list[int]]:
    """Two rows for each member, through a program that is compiled over devices."""

    def double(rows: jax.Array, keys: jax.Array) -> tuple[jax.Array, jax.Array]:
        return 2 * rows, jax.vmap(lambda key: jax.random.split(key)[0])(keys)

    program = compile_over_devices(double, jax.local_devices()[:devices], members)
    rows, keys = program(np.arange(2 * members), jax.random.split(jax.random.key(0), 2 * members))
    expected = jax.vmap(lambda key: jax.random.split(key)[0])(jax.random.split(jax.random.key(0), 2 * members))
    assert np.array_equal(jax.random.key_data(keys), jax.random.key_data(expected))
    return np.asarray(rows).tolist()


def main(cases: list[tuple[int, int]]) -> None:
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # as the trainer does
    available = jax.local_devices()
    found = []
    for members, devices in cases:
        work = Workload(td3_that_says_where, INFO, members, hyperparameters(SPEC))
        found.append(train(build_execution("sharded", work, devices=available[:devices]), members))
        found[-1]["over_rows"] = over_rows(members, found[-1]["devices"])
    most = max(members for members, _ in cases)
    sequential = train(build_execution("sequential", Workload(td3, INFO, most, hyperparameters(SPEC))), most)
    json.dump({"cases": found, "sequential": sequential}, sys.stdout)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
