"""Policies play fresh episodes, each the same ones; what they earn, with an interval."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.policy.place import other_environment
from phylon.policy.policy import Policy
from phylon.spec import parse_accepted
from phylon.spec.environment import EnvironmentSpec
from phylon.spec.videos import VideosSpec
from phylon.statistics.episodes import summarise
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import HostEnvironments, describe_environment, has_unseen_levels, make_environments
from phylon.worker.training.evaluate import episode_limit
from phylon.worker.training.render_process import EpisodeStart, RenderingFailed, RenderProcess

MOST_AT_ONCE = 16
"""Environments; more than a few cores can step brings nothing."""
FILM_WIDTH = 640


class Played(NamedTuple):
    """Returns and lengths of episodes, [episodes] each."""

    returns: NDArray[np.float64]
    lengths: NDArray[np.int64]

    def summary(self) -> dict[str, Any]:
        return summarise(self.returns.tolist(), self.lengths.tolist())._asdict()


class Film(NamedTuple):
    """What a film shows."""

    episode_return: float
    steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""


class Task(NamedTuple):
    """Where a policy plays, and how it chooses."""

    environment: EnvironmentSpec
    info: EnvironmentInfo
    deterministic: bool


def find_task(policy: Policy, source: str, environment: str | None, sample: bool | None) -> Task:
    """Where it was trained, or in another environment of that suite (`suite:id` for one of another suite).

    Without a word about it, stochastic policies act as their run was evaluated.
    """
    spec = parse_accepted(policy.card["spec"])
    place = spec.environment
    if environment is not None:
        place = other_environment(place, environment)
    info, action = describe_environment(place), policy.card["action"]
    is_same_kind = info.is_discrete == (action["kind"] == "discrete")
    fits = info.observation_shape == policy.observation_shape and info.observation_parts == policy.parts
    size = action.get("n") or sum(action.get("counts", ())) or len(action.get("low", ()))
    is_same_size = info.action_size == size and list(info.action_counts) == action.get("counts", [])
    if not (fits and is_same_kind and is_same_size):
        raise EngineError(
            f"the policy in '{source}' takes observations of shape {policy.observation_shape} and has actions of size "
            f"{size}; '{place.id}' has {info.observation_shape} and {info.action_size}",
            "choose an environment with the same spaces",
        )
    is_sampled = spec.evaluation.policy == "sample" if sample is None else sample
    return Task(place, info, not is_sampled)


def play(policy: Policy, task: Task, episodes: int, seed: int) -> Played:
    """On all levels where it was trained on some. Every policy with the same seed plays the same episodes."""
    returns, lengths = (np.concatenate(parts) for parts in zip(*rounds(policy, task, episodes, seed), strict=True))
    return Played(returns, lengths)


def rounds(policy: Policy, task: Task, episodes: int, seed: int, played: int = 0) -> Iterator[Played]:
    """The same in parts, of the episodes that were played side by side; the first `played` are left out."""
    count = min(episodes, MOST_AT_ONCE)
    purpose = "test" if has_unseen_levels(task.environment) else "evaluate"
    pool = make_environments(task.environment, count, purpose)
    try:
        for place, seeds in enumerate(_seeds(seed, -(-episodes // count), count)):
            left_out = max(0, played - place * count)
            if left_out < count:
                policy.set_random_seed(_draws_of(seed, place))
                found = _play_round(policy, task, pool, seeds)
                wanted = slice(left_out, episodes - place * count)
                if not np.isfinite(found.returns[wanted]).all():
                    raise EngineError(
                        f"'{task.environment.id}' paid a reward that is no finite number",
                        "correct the environment, or choose another seed",
                    )
                yield Played(found.returns[wanted], found.lengths[wanted])
    finally:
        pool.close()


def _draws_of(seed: int, place: int) -> int:
    """A seed for the actions of one round, so that what is drawn there does not depend on the rounds before."""
    return int(np.random.SeedSequence([seed, place]).generate_state(1)[0])


def _seeds(seed: int, rounds: int, count: int) -> NDArray[np.uint32]:
    """[rounds, count], below 2^31."""
    words = np.random.SeedSequence(seed).generate_state(rounds * count) >> np.uint32(1)
    return words.astype(np.uint32).reshape(rounds, count)


def _play_round(policy: Policy, task: Task, pool: HostEnvironments, seeds: NDArray[np.uint32]) -> Played:
    obs = pool.reset(seeds)
    returns, lengths = np.zeros(pool.count), np.zeros(pool.count, np.int64)
    is_running = np.ones(pool.count, np.bool_)
    for _ in range(episode_limit(task.info)):
        result = pool.step(policy.act(obs, task.deterministic))
        returns += np.where(is_running, result.reward, 0)
        lengths += is_running
        is_running &= ~(result.terminated | result.truncated)
        if not is_running.any():
            break
        obs = result.obs
    return Played(returns, lengths)


def film(policy: Policy, task: Task, seed: int, path: Path, episode: int = 0) -> Film:
    """One of the episodes that `play` plays."""
    limit = episode_limit(task.info)
    # `interval` is the training loop's business; nothing here asks for it.
    renderer = RenderProcess(task.environment, VideosSpec(interval=1, steps=min(limit, 10_000), width=FILM_WIDTH))
    policy.set_random_seed(_draws_of(seed, episode))
    unfinished = path.with_name(path.name + ".part")
    filmed = Film(0.0, 0, False)
    try:
        obs = renderer.begin(EpisodeStart(int(_seeds(seed, 1, episode + 1)[0, episode]), unfinished))
        while filmed.steps < limit and not filmed.ended:
            result = renderer.step(policy.act(obs[None], task.deterministic)[0])
            obs = result.obs
            filmed = Film(filmed.episode_return + result.reward, filmed.steps + 1, result.ended)
        renderer.finish()
        unfinished.replace(path)
    except RenderingFailed as error:
        raise EngineError(f"there is no film: {error}", "play without --film") from None
    finally:
        renderer.close()
        unfinished.unlink(missing_ok=True)
    return filmed
