"""How a pool's episodes begin and end, and whether a seed decides all of it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments.checking.finding import Finding
from phylon.worker.environments.host import HostEnvironments

STEPS = 200
LONGEST = 2_000
"""Steps in which an episode should end, where nothing limits it."""
FEW = 3


class Walk(NamedTuple):
    obs: NDArray[Any]
    rewards: NDArray[Any]


def random_actions(info: EnvironmentInfo, steps: int, count: int) -> NDArray[Any]:
    generator = np.random.default_rng(0)
    shape = (steps, count, *info.action_shape)
    if info.has_choices:
        return generator.integers(0, info.action_counts or info.action_size, shape).astype(np.int32)
    return generator.uniform(-1, 1, shape).astype(np.float32)


def check_seeds(pool: HostEnvironments) -> Iterator[Finding]:
    """The pool has two environments."""
    first, again = _walk(pool, 0), _walk(pool, 0)
    same = all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    if not same:
        differ = [not np.array_equal(one, other) for one, other in zip(first.obs, again.obs, strict=True)]
        step = differ.index(True) if any(differ) else STEPS
        yield Finding(
            "determinism",
            "wrong",
            f"the same seed and actions lead elsewhere, from step {step} on: a resumed run will not be repeatable",
            "draw from self.np_random alone, and call super().reset(seed=seed) first in reset",
        )
    elif np.array_equal(first.obs, _walk(pool, 1).obs):
        yield Finding("determinism", "ok", "a seed decides everything; all seeds lead to the same episodes")
    else:
        yield Finding("determinism", "ok", "a seed decides everything, and seeds differ")


def _walk(pool: HostEnvironments, seed: int) -> Walk:
    obs, rewards = [pool.reset(np.array([2 * seed, 2 * seed + 1]))], list[Any]()
    for actions in random_actions(pool.info, STEPS, 2):
        result = pool.step(actions)
        obs.append(result.obs)
        rewards.append(result.reward)
    return Walk(np.stack(obs), np.stack(rewards))


def check_ends(pool: HostEnvironments) -> Iterator[Finding]:
    limit = pool.info.max_episode_steps
    terminated, truncated = _lengths(pool, min(4 * limit, 10 * LONGEST) if limit else LONGEST)
    subject = "ends of episodes"
    lengths = terminated + truncated
    if not lengths:
        yield Finding(
            subject,
            "slow" if limit else "wrong",
            f"no episode ended in {LONGEST} random steps" + ("" if limit else ", and nothing limits their length"),
            "nothing, if they are that long"
            if limit
            else "register it with max_episode_steps, or put {name: time_limit, steps: 1000} into environment.wrappers",
        )
    elif not truncated and len(terminated) >= FEW and len(set(terminated)) == 1 and terminated[0] > 1:
        yield Finding(
            subject,
            "wrong" if terminated[0] == limit else "slow",
            f"every episode is terminated after exactly {terminated[0]} steps, as by a time limit: members would learn "
            "that nothing is worth anything near the end",
            "return truncated, not terminated, when time is up; do nothing if it is a true end",
        )
    else:
        yield Finding(
            subject,
            "ok",
            f"{len(terminated)} terminated, {len(truncated)} truncated; {min(lengths)} to {max(lengths)} steps",
        )


def _lengths(pool: HostEnvironments, steps: int) -> tuple[list[int], list[int]]:
    pool.reset(np.array([7, 8]))
    counts = np.zeros(pool.count, np.int64)
    terminated, truncated = list[int](), list[int]()
    for actions in random_actions(pool.info, steps, pool.count):
        result = pool.step(actions)
        counts += 1
        for row in np.flatnonzero(result.terminated | result.truncated):
            (terminated if result.terminated[row] else truncated).append(int(counts[row]))
            counts[row] = 0
    return terminated, truncated
