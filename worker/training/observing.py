"""The members' running statistics of observations, where the spec asks for normalised ones.

They change once per segment, from what was seen in training and never from evaluation. A segment is collected, learned
from, and only then taken in, so PPO judges a rollout by the very policy that collected it. The first segment of a run
is taken in before it is learned from: until then there is nothing to normalise by.
"""

from typing import Any

from phylon.worker.algorithms.normalisation import STATISTICS
from phylon.worker.core.types import Rollout
from phylon.worker.training.attempt import Attempt


def observe(attempt: Attempt, rollout: Rollout[Any]) -> None:
    """`rollout` [P, calls, envs, ...]: a segment of training, on the host or on the devices."""
    parts, state = attempt.parts, attempt.state
    if STATISTICS not in parts.work.algorithm.layout.statistics:
        return
    with attempt.stopwatch.phase("update"):
        statistics = attempt.programs.take_in(getattr(state.population, STATISTICS), rollout.transitions.obs)
        state.population = state.population._replace(**{STATISTICS: parts.execution.place(statistics)})
