"""Ray Tune's PBT and PB2 on the task of `benchmarks.tuning`. It runs in an interpreter that has Ray, and needs no JAX.

    python -m venv RAY && RAY/bin/pip install "ray[tune]" scikit-learn
    python -m benchmarks.tuning --ray RAY/bin/python

Ray's own schedulers decide, unchanged: selection, exploration, PB2's data and model. No cluster is started for them: a
member of this task is a single number, so their trials are plain objects here, and a checkpoint is that number. Prints
one JSON object per line.
"""

import copy
import json
import logging
import random
import sys
import warnings
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import numpy as np
from ray import tune
from ray.tune.experiment import Trial
from ray.tune.schedulers import PopulationBasedTraining
from ray.tune.schedulers.pb2 import PB2

from benchmarks.tuning_task import CATEGORIES, LOGARITHMIC, POPULATIONS, RANGES, TuningTask, to_unit

SETTINGS: dict[str, Any] = {
    "time_attr": "training_iteration",
    "metric": "performance",
    "mode": "max",
    "perturbation_interval": 1,
    "quantile_fraction": 0.25,
    "synch": True,
    "log_config": False,
}


class Member:
    """What a scheduler asks of a trial. It is always paused: in synchronous mode trials wait for each other."""

    status = Trial.PAUSED

    def __init__(self, index: int) -> None:
        self.index, self.trial_id, self.experiment_tag = index, f"member_{index}", ""
        self.config: dict[str, Any] = {}
        self.evaluated_params: dict[str, Any] = {}
        self.temporary_state = SimpleNamespace(saving_to=None)
        manager = SimpleNamespace(checkpoint_config=SimpleNamespace(num_to_keep=None), _latest_checkpoint_result=None)
        self.run_metadata = SimpleNamespace(checkpoint_manager=manager)
        self.checkpoint = SimpleNamespace(performance=0.0)

    def is_finished(self) -> bool:
        return False

    def set_experiment_tag(self, tag: str) -> None:
        self.experiment_tag = tag

    def set_config(self, config: dict[str, Any]) -> None:
        self.config = config

    def resume(self) -> None:
        """From the checkpoint that an exploit has put there, if one has."""
        manager = self.run_metadata.checkpoint_manager
        if manager._latest_checkpoint_result is not None:
            self.checkpoint = copy.copy(manager._latest_checkpoint_result.checkpoint)
            manager._latest_checkpoint_result = None

    def __str__(self) -> str:
        return self.trial_id


def pbt(is_mixed: bool) -> PopulationBasedTraining:
    mutations: dict[str, Any] = {
        name: tune.loguniform(*limits) if name in LOGARITHMIC else tune.uniform(*limits)
        for name, limits in RANGES.items()
    }
    mutations |= {"category": list(CATEGORIES)} if is_mixed else {}
    return PopulationBasedTraining(**SETTINGS, hyperparam_mutations=mutations, resample_probability=0.25)


def pb2(is_mixed: bool) -> PB2:
    """It knows no logarithmic scale, so it is given the logarithm, which PBT could not multiply; and no categories."""
    assert not is_mixed
    return PB2(
        **SETTINGS,
        hyperparam_bounds={
            _logarithm(name) if name in LOGARITHMIC else name: list(np.log(limits) if name in LOGARITHMIC else limits)
            for name, limits in RANGES.items()
        },
    )


METHODS = {"Ray PBT": pbt, "Ray PB2": pb2}


def best(method: str, is_mixed: bool, seed: int) -> float:
    random.seed(seed)
    np.random.seed(seed)
    task, scheduler = TuningTask(seed, is_mixed), METHODS[method](is_mixed)
    members: Any = [Member(index) for index in range(POPULATIONS["mixed" if is_mixed else "continuous"])]
    controller: Any = SimpleNamespace(search_alg=None, get_trials=lambda: members, get_live_trials=lambda: members)
    for member in members:
        scheduler.on_trial_add(controller, member)
    for round in range(task.rounds):
        for member in members:
            member.resume()
            category = CATEGORIES.index(member.config["category"]) if is_mixed else 0
            member.checkpoint.performance += task.gain(round, member.index, _numbers(member.config), category)
        if round < task.rounds - 1:
            for member in members:
                result = {"training_iteration": round + 1, "performance": member.checkpoint.performance}
                scheduler.on_trial_result(controller, member, result)
    return max(member.checkpoint.performance for member in members)


def _numbers(config: dict[str, Any]) -> np.ndarray:
    """Ray's PBT does not clip what it multiplies; what leaves the range counts as its edge, as it does with us."""
    values = {name: np.exp(config[_logarithm(name)]) if _logarithm(name) in config else config[name] for name in RANGES}
    return to_unit({name: float(np.clip(values[name], *limits)) for name, limits in RANGES.items()})


def _logarithm(name: str) -> str:
    return f"logarithm_of_{name}"


def main(seeds: int) -> None:
    warnings.simplefilter("ignore")  # its model runs into its bounds
    logging.disable(logging.INFO)
    for method, task in (("Ray PBT", "continuous"), ("Ray PBT", "mixed"), ("Ray PB2", "continuous")):
        for seed in range(seeds):
            found = best(method, task == "mixed", seed)
            line = {"method": method, "task": task, "seed": seed, "best": found, "version": version("ray")}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
