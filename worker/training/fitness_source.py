"""Where fitness comes from: returns of an evaluation, of training episodes or of a test, or a metric.

Whatever selection sees, the returns that a run reports are those of its evaluations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.spec.fitness import FitnessSource, MetricSource
from phylon.worker.core.errors import EngineError
from phylon.worker.gang.gang import gather
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.evaluate import Evaluation, standard_errors


class Measured(NamedTuple):
    """[P] each."""

    values: NDArray[np.float32]
    """To be maximised; NaN where there is nothing yet."""
    errors: NDArray[np.float32]
    """Standard errors; NaN where they are unknown."""


class MetricUnknown(EngineError):
    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(
            f"fitness should be the metric '{name}', which this run does not have",
            f"set population.method.fitness.of.metric to one of {', '.join(sorted(known))}",
        )


def measure(attempt: Attempt, source: FitnessSource, evaluation: Evaluation) -> Measured:
    match source:
        case "evaluation":
            return Measured(evaluation.means, evaluation.errors)
        case "test":
            assert evaluation.test_returns is not None, "the spec's check has seen to it"
            return _of_returns(evaluation.test_returns)
        case "training":
            return _of_returns(gather(attempt.parts.gang, attempt.parts.collector.episodes.latest()))
        case MetricSource(metric=name, higher=higher):
            values = _find_metric(attempt, name, evaluation)
            return Measured(values if higher else -values, np.full_like(values, np.nan))


def _of_returns(returns: NDArray[np.float64]) -> Measured:
    """[P, episodes], NaN for episodes that there are not yet."""
    is_there = ~np.isnan(returns)
    counts = is_there.sum(axis=1)
    sums = np.where(is_there, returns, 0).sum(axis=1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return Measured(means.astype(np.float32), standard_errors(returns))


def _find_metric(attempt: Attempt, name: str, evaluation: Evaluation) -> NDArray[np.float32]:
    """A metric of updates has no value before the first of them."""
    size, metrics = attempt.parts.size, attempt.state.latest_metrics
    known = {
        **{metric: np.array(values, np.float32) for metric, values in evaluation.frames().items()},
        **{f"training/{metric}": values for metric, values in metrics.items()},
    }
    if name not in known and not metrics and name.startswith("training/"):
        return np.full(size, np.nan, np.float32)
    if name not in known:
        raise MetricUnknown(name, list(known))
    return np.asarray(known[name], np.float32)
