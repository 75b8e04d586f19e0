"""Evaluates members by noiseless episodes on separate environments, with the same seeds for all members, every time."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import HostEnvironments
from phylon.worker.execution import Actor
from phylon.worker.training.randomness import environment_seeds

ENDLESS_EPISODE_STEPS = 10_000
"""Where an episode is truncated when its environment has no time limit."""


class Evaluation(NamedTuple):
    """[P, episodes] each."""

    returns: NDArray[np.float64]
    lengths: NDArray[np.int64]
    test_returns: NDArray[np.float64] | None = None
    """Of other episodes, on levels that no member trains on: reported, never used for ranking."""

    @property
    def means(self) -> NDArray[np.float32]:
        return self.returns.mean(axis=1).astype(np.float32)

    @property
    def errors(self) -> NDArray[np.float32]:
        """Standard errors of the means; NaN for a single episode."""
        return _standard_errors(self.returns)

    def frames(self) -> dict[str, list[float]]:
        frames = {
            "evaluation/return": self.means.tolist(),
            "evaluation/return_stderr": self.errors.tolist(),
            "evaluation/length": self.lengths.mean(axis=1).tolist(),
        }
        if self.test_returns is not None:
            frames["evaluation/test_return"] = self.test_returns.mean(axis=1).tolist()
            frames["evaluation/test_return_stderr"] = _standard_errors(self.test_returns).tolist()
        return frames


def _standard_errors(returns: NDArray[np.float64]) -> NDArray[np.float32]:
    episodes = returns.shape[1]
    if episodes == 1:
        return np.full(len(returns), np.nan, np.float32)
    return (returns.std(axis=1, ddof=1) / np.sqrt(episodes)).astype(np.float32)


def evaluation_seeds(seed: int, population_size: int, episodes: int) -> NDArray[np.uint32]:
    """[P * episodes], the same for every member."""
    return np.tile(environment_seeds(seed, "evaluation", 0, episodes), population_size)


def episode_limit(info: EnvironmentInfo) -> int:
    return info.max_episode_steps or ENDLESS_EPISODE_STEPS


class Evaluator(Protocol):
    def evaluate(self, actor: Actor) -> Evaluation: ...

    def close(self) -> None: ...


class HostEvaluator:
    """P x episodes environments, stepped together until the last episode ends; `unseen`: as many of unseen levels."""

    def __init__(
        self,
        environments: HostEnvironments,
        population_size: int,
        seed: int,
        unseen: HostEnvironments | None = None,
    ) -> None:
        self._environments, self._unseen = environments, unseen
        self._shape = (population_size, environments.count // population_size)
        self._seeds = evaluation_seeds(seed, *self._shape)
        self._limit = episode_limit(environments.info)

    def evaluate(self, actor: Actor) -> Evaluation:
        evaluation = self._play(self._environments, actor)
        if self._unseen is None:
            return evaluation
        return evaluation._replace(test_returns=self._play(self._unseen, actor).returns)

    def _play(self, environments: HostEnvironments, actor: Actor) -> Evaluation:
        count = environments.count
        returns, lengths, is_running = np.zeros(count), np.zeros(count, np.int64), np.ones(count, np.bool_)
        obs = environments.reset(self._seeds)
        for _ in range(self._limit):
            action = actor.exploit(obs.reshape(*self._shape, *obs.shape[1:]))
            result = environments.step(action.reshape(count, *action.shape[2:]))
            returns += np.where(is_running, result.reward, 0)
            lengths += is_running
            is_running &= ~(result.terminated | result.truncated)
            if not is_running.any():
                break
            obs = result.obs
        return Evaluation(returns.reshape(self._shape), lengths.reshape(self._shape))

    def close(self) -> None:
        self._environments.close()
        if self._unseen is not None:
            self._unseen.close()
