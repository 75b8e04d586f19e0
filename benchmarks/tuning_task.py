"""A synthetic task of online tuning: what a member gains depends on its hyper-parameters and on time.

NumPy only, so that any tuner can run on it, whatever its framework. A member is one number, the performance that it
has reached. In each interval it gains

    quality[category](t) x exp(-|u - best[category](t)|^2 / (2 width^2)) + noise

where u are its three hyper-parameters in the unit box. The optimum drifts. Each category has its own, but they all
drift together, so that what is learned under one category partly holds under another; and the category that is best
at first is slowly overtaken by another. The continuous task is the same with a single category, fewer members and fewer
intervals, because there is less to learn.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

POPULATIONS = {"continuous": 4, "mixed": 8}
ROUNDS = {"continuous": 50, "mixed": 100}
RANGES = {"learning_rate": (1e-5, 1e-3), "clip": (0.01, 0.5), "entropy_coefficient": (0.0, 0.2)}
"""Bounds of the numbers, the first on a logarithmic scale. They are those of PB2-Mix on Procgen."""
LOGARITHMIC = ("learning_rate",)
CATEGORIES = ("crop", "random-conv", "grayscale", "flip")
WIDTH = 0.3
NOISE = 0.1
DRIFT = 0.2
APART = 0.4
"""How far the optimum of a category may be from the common one, on either side."""

Values = NDArray[np.float64]


def to_unit(values: dict[str, float]) -> Values:
    """The hyper-parameters of a member in the unit box."""

    def share(name: str, low: float, high: float) -> float:
        if name in LOGARITHMIC:
            return float(np.log(values[name] / low) / np.log(high / low))
        return (values[name] - low) / (high - low)

    return np.array([share(name, *limits) for name, limits in RANGES.items()])


@dataclass(frozen=True)
class TuningTask:
    """One draw of the task. Equal seeds are equal tasks."""

    seed: int
    is_mixed: bool

    @property
    def rounds(self) -> int:
        return ROUNDS["mixed" if self.is_mixed else "continuous"]

    def gain(self, round: int, member: int, numbers: Values, category: int = 0) -> float:
        """In interval `round`; the noise depends only on seed, round and member."""
        noise = np.random.default_rng((self.seed, round, member)).normal(0, NOISE)
        distance = np.sum((numbers - self._best[round, category]) ** 2)
        return float(self._quality[round, category] * np.exp(-0.5 * distance / WIDTH**2) + noise)

    def most(self) -> float:
        """What the best schedule of all is expected to gain."""
        return float(self._quality.max(axis=1).sum())

    @cached_property
    def _best(self) -> Values:
        """[rounds, categories, numbers]"""
        random = np.random.default_rng((self.seed, 1))
        phase, cycles = random.uniform(0, 2 * np.pi, len(RANGES)), random.uniform(0.25, 0.75, len(RANGES))
        time = np.arange(self.rounds)[:, None] / self.rounds
        common = 0.5 + DRIFT * np.sin(phase + 2 * np.pi * cycles * time)
        if not self.is_mixed:
            return common[:, None, :]
        apart = random.uniform(-APART, APART, (len(CATEGORIES), len(RANGES)))
        return np.clip(common[:, None, :] + apart[None], 0.0, 1.0)

    @cached_property
    def _quality(self) -> Values:
        """[rounds, categories]"""
        if not self.is_mixed:
            return np.ones((self.rounds, 1))
        random = np.random.default_rng((self.seed, 2))
        begin, end = random.uniform(0.2, 0.7, (2, len(CATEGORIES)))
        first, last = random.permutation(len(CATEGORIES))[:2]
        begin[first], end[last] = 1.0, 1.0
        share = np.linspace(0, 1, self.rounds)[:, None]
        return (1 - share) * begin[None] + share * end[None]
