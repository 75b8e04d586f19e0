"""What is better, by how much, and how sure: after Agarwal et al. 2021 (arXiv 2108.13264), in NumPy alone.

Numbers agree with rliable 1.2.0, apart from what a bootstrap leaves to chance; `docs/compare.md` says where we go on
differently. Tasks are fixed and what was learned on them is random, so replicates are drawn within each task.
"""

from phylon.statistics.aggregates import (
    Scores,
    Statistic,
    interquartile_mean,
    mean,
    median,
    optimality_gap,
)
from phylon.statistics.bootstrap import (
    LARGEST_DRAW,
    RESAMPLES,
    Aggregate,
    Band,
    Estimate,
    aggregate,
    estimate,
    estimate_band,
    estimate_pair,
    performance_profile,
    seed_of,
)
from phylon.statistics.comparing import difference, probability_of_improvement, replicates_needed
from phylon.statistics.reaching import Reached, first_reached, summarise_reached

__all__ = [
    "LARGEST_DRAW",
    "RESAMPLES",
    "Aggregate",
    "Band",
    "Estimate",
    "Reached",
    "Scores",
    "Statistic",
    "aggregate",
    "difference",
    "estimate",
    "estimate_band",
    "estimate_pair",
    "first_reached",
    "interquartile_mean",
    "mean",
    "median",
    "optimality_gap",
    "performance_profile",
    "probability_of_improvement",
    "replicates_needed",
    "seed_of",
    "summarise_reached",
]
