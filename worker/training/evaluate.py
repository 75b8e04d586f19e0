"""Evaluates members by episodes on separate environments: the same for all members, others at every evaluation."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from phylon.spec.lengths import UNLIMITED_EPISODE_STEPS
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import HostEnvironments
from phylon.worker.execution import Actor
from phylon.worker.training.randomness import EvaluationEpisodes


class Evaluation(NamedTuple):
    """[P, episodes] each."""

    returns: NDArray[np.float64]
    lengths: NDArray[np.integer] | NDArray[np.floating]
    test_returns: NDArray[np.float64] | None = None
    """Of other episodes, on levels that no member trains on: reported, never used for ranking."""

    @property
    def means(self) -> NDArray[np.float32]:
        return self.returns.mean(axis=1).astype(np.float32)

    @property
    def errors(self) -> NDArray[np.float32]:
        """Standard errors of the means; NaN for a single episode."""
        return standard_errors(self.returns)

    def frames(self) -> dict[str, list[float]]:
        frames = {
            "evaluation/return": self.means.tolist(),
            "evaluation/return_stderr": self.errors.tolist(),
            "evaluation/length": self.lengths.mean(axis=1).tolist(),
        }
        if self.test_returns is not None:
            frames["evaluation/test_return"] = self.test_returns.mean(axis=1).tolist()
            frames["evaluation/test_return_stderr"] = standard_errors(self.test_returns).tolist()
        return frames


def standard_errors(returns: NDArray[np.float64]) -> NDArray[np.float32]:
    """Of the means of [P, episodes]; NaN for a single one, as for those where an episode is missing."""
    episodes = returns.shape[1]
    if episodes == 1:
        return np.full(len(returns), np.nan, np.float32)
    return (returns.std(axis=1, ddof=1) / np.sqrt(episodes)).astype(np.float32)


def episode_limit(info: EnvironmentInfo) -> int:
    return info.max_episode_steps or UNLIMITED_EPISODE_STEPS


def seeds_of_members(episodes: EvaluationEpisodes) -> NDArray[np.uint32]:
    """[P * episodes], the same for every member."""
    return np.tile(episodes.seeds, len(episodes.keys))


class Evaluator(Protocol):
    @property
    def has_unseen_levels(self) -> bool: ...

    def evaluate(self, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        """On levels that members train on and, reported beside, on all levels where those are others."""
        ...

    def evaluate_unseen(self, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        """On all levels where members train on some; elsewhere as `evaluate`."""
        ...

    def close(self) -> None: ...


class HostEvaluator:
    """P x episodes environments, stepped together until the last episode ends; `unseen`: as many of unseen levels."""

    def __init__(
        self,
        environments: HostEnvironments,
        population_size: int,
        unseen: HostEnvironments | None = None,
    ) -> None:
        self._environments, self._unseen = environments, unseen
        self._shape = (population_size, environments.count // population_size)
        self._limit = episode_limit(environments.info)

    @property
    def has_unseen_levels(self) -> bool:
        return self._unseen is not None

    def evaluate(self, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        evaluation = self._play(self._environments, actor, episodes)
        if self._unseen is None:
            return evaluation
        return evaluation._replace(test_returns=self._play(self._unseen, actor, episodes).returns)

    def evaluate_unseen(self, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        return self._play(self._unseen or self._environments, actor, episodes)

    def _play(self, environments: HostEnvironments, actor: Actor, episodes: EvaluationEpisodes) -> Evaluation:
        count = environments.count
        returns, lengths, is_running = np.zeros(count), np.zeros(count, np.int64), np.ones(count, np.bool_)
        obs = environments.reset(seeds_of_members(episodes))
        for step in range(self._limit):
            action = actor.exploit(obs.reshape(*self._shape, *obs.shape[1:]), episodes.keys, step)
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
