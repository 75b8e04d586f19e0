"""From evaluations to the number that members are ranked by. What a member's ancestors did counts, too."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.spec import ExperimentSpec
from phylon.spec.evolving import Evolving
from phylon.spec.fitness import ExponentialFitness, FitnessSpec, LastFitness, MeanFitness


class History(NamedTuple):
    """The latest evaluations of each slot's weights and of those they came from, [P, window], the newest last."""

    means: NDArray[np.float32]
    """NaN where there was none yet."""
    errors: NDArray[np.float32]
    """Standard errors; NaN of a single episode."""


class Fitness(NamedTuple):
    """[P] each."""

    values: NDArray[np.float32]
    errors: NDArray[np.float32]


def fitness_spec(spec: ExperimentSpec) -> FitnessSpec:
    """Methods that never rank have the plain one, for display."""
    method = spec.population.method
    return method.fitness if isinstance(method, Evolving) else LastFitness(name="last")


def empty_history(spec: FitnessSpec, size: int) -> History:
    nothing = np.full((size, _window(spec)), np.nan, np.float32)
    return History(nothing, nothing.copy())


def remember(history: History, means: NDArray[np.float32], errors: NDArray[np.float32]) -> History:
    return History(
        np.concatenate([history.means[:, 1:], means[:, None]], axis=1),
        np.concatenate([history.errors[:, 1:], errors[:, None]], axis=1),
    )


def inherit(history: History, parents: NDArray[np.int32]) -> History:
    return History(history.means[parents], history.errors[parents])


def forget(history: History) -> History:
    """After a reset: what the weights did that are gone says nothing of the new ones."""
    return History(np.full_like(history.means, np.nan), np.full_like(history.errors, np.nan))


def fitness_of(spec: FitnessSpec, history: History) -> Fitness:
    """A weighted mean of the evaluations there are. A member whose latest is NaN has no fitness."""
    weights = np.where(np.isnan(history.means), 0, _weights(spec)[None, :])
    weights[np.isnan(history.means[:, -1])] = np.nan
    weights = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    means = np.where(weights == 0, 0, history.means)
    errors = np.where(weights == 0, 0, history.errors)
    return Fitness(
        (weights * means).sum(axis=1).astype(np.float32),
        np.sqrt((weights**2 * errors**2).sum(axis=1)).astype(np.float32),
    )


def _window(spec: FitnessSpec) -> int:
    return 1 if isinstance(spec, LastFitness) else spec.window


def _weights(spec: FitnessSpec) -> NDArray[np.float32]:
    match spec:
        case LastFitness():
            return np.ones(1, np.float32)
        case MeanFitness(window=window):
            return np.ones(window, np.float32)
        case ExponentialFitness(decay=decay, window=window):
            return (decay ** np.arange(window - 1, -1, -1)).astype(np.float32)
