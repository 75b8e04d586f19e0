"""Whether DrAC learns Procgen's bigfish, with each of its eight augmentations, against a policy of random actions.

Eight members of one population, which never copy each other and differ in the augmentation alone, train for a short
while on 200 levels in easy mode. A small network of plain convolutions stands in for IMPALA's, which takes ten times
as long on a CPU. Returns are raw. Both training and evaluation sample the policy's actions; evaluation plays few
episodes, on the training levels and on all levels.
"""

import itertools
import time
from typing import Any

import jax
import numpy as np

from benchmarks import own_run, report
from phylon.spec import parse_spec
from phylon.spec.algorithms.drac import AUGMENTATION_NAMES
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.keys import derive
from phylon.worker.environments import make_environments
from phylon.worker.execution import Actor
from phylon.worker.population import sample_hyperparams
from phylon.worker.training.evaluate import Evaluation, HostEvaluator
from phylon.worker.training.randomness import episodes_at_step

MEMBERS = len(AUGMENTATION_NAMES)
ENVS, ROLLOUT_STEPS, UPDATES, LOOKS = 64, 64, 48, 24
SEGMENT = ENVS * ROLLOUT_STEPS
RANDOM_EPISODES, RANDOM_ROUNDS, ACTIONS = 512, 8, 15
NETWORK = {"kind": "cnn", "channels": [16, 32], "kernels": [8, 4], "strides": [4, 2], "hidden": [128]}
SPEC: dict[str, Any] = {
    "version": 1,
    "name": "procgen",
    "kind": "training",
    "environment": {"suite": "envpool", "id": "BigfishEasy-v0", "envs_per_member": ENVS},
    "algorithm": {
        "name": "drac",
        "rollout_steps": ROLLOUT_STEPS,
        "epochs": 3,
        "minibatches": 32,
        "network": NETWORK,
        "learning_rate": 5e-4,
        "entropy_coefficient": 0.01,
        "augmentation": {"choice": list(AUGMENTATION_NAMES)},
    },
    "population": {"size": MEMBERS, "method": {"name": "independent"}},
    "budget": {"env_steps": UPDATES * SEGMENT},
    "evaluation": {"interval": UPDATES * SEGMENT, "episodes": 16},
    "metrics": {"interval": UPDATES // LOOKS * SEGMENT},
    "checkpoint": {"interval": UPDATES * SEGMENT},
    "execution": {"strategy": "sharded"},
}


def seed_of_all_augmentations() -> int:
    """The first seed whose members draw one augmentation each."""
    algorithm = parse_spec(SPEC).algorithm

    @jax.jit
    def draw(seed: jax.Array) -> jax.Array:
        key = derive(jax.random.key(seed), "hyperparams")
        return sample_hyperparams(key, algorithm, MEMBERS)["augmentation"]

    return next(seed for seed in itertools.count() if len(set(draw(seed).tolist())) == MEMBERS)


def train() -> tuple[dict[str, list[list[float]]], float]:
    """For each metric its values, one list per metrics event, and the duration in seconds."""
    spec, start = SPEC | {"seed": seed_of_all_augmentations()}, time.perf_counter()
    frames = own_run.frames_of(own_run.train(spec))
    names = {name for frame in frames for name in frame}
    values = {name: [frame[name] for frame in frames if name in frame] for name in names}
    return values, time.perf_counter() - start


def act_randomly() -> Evaluation:
    environment = EnvironmentSpec.model_validate(SPEC["environment"])
    random = np.random.default_rng(0)

    def act(obs: np.ndarray, *_: object) -> np.ndarray:
        return random.integers(0, ACTIONS, obs.shape[:2], np.int32)

    def play(seed: int) -> Evaluation:
        pools = [make_environments(environment, RANDOM_EPISODES, purpose) for purpose in ("evaluate", "test")]
        evaluator = HostEvaluator(pools[0], 1, pools[1])
        evaluation = evaluator.evaluate(Actor([], act, act), episodes_at_step(seed, 0, 1, RANDOM_EPISODES))
        evaluator.close()
        return evaluation

    return Evaluation(*map(np.hstack, zip(*map(play, range(RANDOM_ROUNDS)), strict=True)))


def main() -> None:
    by_chance = {name: values[0] for name, values in act_randomly().frames().items()}
    chance, chance_error = by_chance["evaluation/return"], by_chance["evaluation/return_stderr"]
    frames, seconds = train()
    last = {name: values[-1] for name, values in frames.items()}
    looks = np.array(frames["training/return"])  # [looks, members]
    half = len(looks) // 2
    rows, above = [["random actions", f"{chance:.2f} ± {chance_error:.2f}", "", "", *_measured(by_chance)]], 0
    for member, augmentation in enumerate(last["hyperparams/augmentation"]):
        own = looks[half:, member]
        mean, error = float(own.mean()), float(own.std(ddof=1) / np.sqrt(len(own)))
        distance = (mean - chance) / np.hypot(error, chance_error)
        above += distance > 2
        here = {name: last[name][member] for name in by_chance}
        returns = f"{looks[0, member]:.2f}", f"{mean:.2f} ± {error:.2f}", f"{distance:+.1f}"
        rows.append([AUGMENTATION_NAMES[round(augmentation)], *returns, *_measured(here)])
    everyone = looks[half:].mean(axis=1)
    mean, error = everyone.mean(), everyone.std(ddof=1) / np.sqrt(len(everyone))
    header = [
        "augmentation",
        "training, at first",
        "second half",
        "errors above random",
        "training levels",
        "all levels",
    ]
    report.write(
        "procgen",
        f"# DrAC on Procgen\n\n{__doc__}\n`python -m benchmarks.procgen`: {UPDATES * SEGMENT:,} steps per member in "
        f"{seconds / 60:.0f} minutes. {report.machine()}.\n\n{report.table(header, rows)}\n\nAll members together: "
        f"{mean:.2f} ± {error:.2f} in the second half of training, against {chance:.2f} ± {chance_error:.2f} of random "
        f"actions, {(mean - chance) / np.hypot(error, chance_error):+.1f} standard errors; {above} of {MEMBERS} alone "
        f"are more than two above. Errors of training are over {LOOKS - half} looks, of evaluations over episodes. The "
        f"paper's budget is 25 million steps (`drac-bigfish`).\n\nMean return of all members, look by look:\n\n```\n"
        f"{' '.join(f'{value:.2f}' for value in looks.mean(axis=1))}\n```\n",
    )


def _measured(frames: dict[str, float]) -> list[str]:
    names = ("evaluation/return", "evaluation/test_return")
    return [f"{frames[name]:.2f} ± {frames[name + '_stderr']:.2f}" for name in names]


if __name__ == "__main__":
    main()
