"""A population under one of the engine's own execution strategies."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import jax
import numpy as np

from phylon.spec import AlgorithmSpec, StudyCell, bounds, hyperparameters
from phylon.spec.experiment import ExecutionSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.execution import Workload
from phylon.worker.execution.auto import Trial, choose
from phylon.worker.studies.contender import Task
from phylon.worker.studies.workload import ACTIONS, BUTTONS, IMAGE, VECTOR, algorithm_spec, study_of, synthetic_data


class JaxContender:
    def __init__(self, task: Task, hyperparams: Mapping[str, float] | None = None) -> None:
        """`hyperparams`: values that replace the defaults."""
        cell, members = task.cell, task.members
        spec, info = algorithm_spec(cell), environment_info(cell)
        defaults = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(spec).items()}
        typical = {**defaults, **(hyperparams or {})}
        work = Workload(partial(build_algorithm, spec, info), info, members, typical)
        data = batches(spec, cell, members)
        chosen = choose(
            ExecutionSpec(strategy=cell.strategy),
            work,
            lambda: Trial(data, cell.fused_updates),
            _structure(cell),
            Path(task.measurements),
        )
        self.note = chosen.explanation if cell.strategy == "auto" else None
        if task.only_choose:
            return
        self._execution = chosen.execution
        values = {name: np.full(members, value, np.float32) for name, value in typical.items()}
        self._hyperparams, self._batches = self._execution.place(values), self._execution.place_batches(data)
        self._key = np.zeros(2, np.uint32)
        self._population = self._execution.init(self._key, self._hyperparams)
        jax.block_until_ready((self._population, self._batches))
        self._updates, self._updates_per_call = 0, cell.fused_updates

    def call(self) -> None:
        self._population, report = self._execution.update(
            self._population, self._hyperparams, self._batches, self._key, self._updates
        )
        jax.block_until_ready((self._population, report))
        self._updates += self._updates_per_call

    def peak_memory_bytes(self) -> int | None:
        devices = self._execution.devices
        if devices[0].platform == "cpu":
            return None
        return sum(device.memory_stats()["peak_bytes_in_use"] for device in jax.local_devices())


def environment_info(cell: StudyCell) -> EnvironmentInfo:
    if study_of(cell).has_images:
        return EnvironmentInfo(IMAGE, BUTTONS, None, is_discrete=True, observation_dtype="uint8")
    envs = cell.batch_size if study_of(cell).has_env_per_row else 1
    return EnvironmentInfo((VECTOR,), ACTIONS, 1000, envs_per_member=envs)


def batches(spec: AlgorithmSpec, cell: StudyCell, members: int) -> Transition | Rollout:
    data = Transition(*synthetic_data(cell, members))
    return Rollout(data, np.zeros_like(data.terminated)) if spec.learns_from == "rollout" else data


def _structure(cell: StudyCell) -> dict[str, object]:
    """What a measured choice depends on, besides what `choose` adds itself."""
    return cell.model_dump(mode="json", exclude={"framework", "strategy", "compiled", "population_size"})
