"""The end of a run: the last population is evaluated on episodes that no selection saw, and the winner's return is what
the run has come to.

Selection ranks noisy evaluations, so the best of them is partly luck. Who wins is decided by fitness, before the final
episodes are played; their mean is therefore an unbiased measure of the winner.

The episodes are played in rounds of as many as an evaluation has, so nothing is compiled and no environment is made.
They follow from the run's seed: an attempt that resumes from the last checkpoint plays them again, with the same
result.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import FinalReturn
from phylon.statistics.student import half_widths
from phylon.worker.core.commands import Command
from phylon.worker.execution import Actor
from phylon.worker.gang.gang import gather
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.divergence import without
from phylon.worker.training.randomness import final_episodes
from phylon.worker.training.winner import write_policy

PROGRESS_LINES = 10


class FinalReturns(NamedTuple):
    """Returns of the final episodes, [rows, episodes] each."""

    members: NDArray[np.float64]
    centre: NDArray[np.float64] | None
    """Of the mean of a search over weights, one row."""


def finish(attempt: Attempt) -> Command | None:
    """Measures and records the end of the run, unless a command interrupts it: then that is returned."""
    state, best = attempt.state, attempt.best_member
    fields: dict[str, Any] = {
        "reason": state.end,
        "best_member": best,
        "fitness": float(state.fitness[best]),
        "final": None,
    }
    if attempt.spec.evaluation.final > 0:
        with attempt.stopwatch.phase("evaluate"):
            returns = _play(attempt)
        if returns is None:
            return attempt.commands.wanted
        attempt.journal.record("metrics", state.step, frames=_frames(returns))
        fields["final"] = _result(attempt, best, returns)
        print(f"step {state.step:,}: {describe(fields['final'])} (member {best})", flush=True)
    write_policy(attempt, best, fields["final"])
    attempt.journal.record("finished", state.step, **fields)
    return None


def describe(final: FinalReturn) -> str:
    return f"final return {final.mean:.1f} ± {final.high - final.mean:.1f} in {final.episodes} unseen episodes"


def _play(attempt: Attempt) -> FinalReturns | None:
    """None when a command interrupts it."""
    parts, state, evaluation = attempt.parts, attempt.state, attempt.spec.evaluation
    actors = [parts.execution.acting.actor(state.population, state.placed)]
    if parts.method.search is not None:
        centre = attempt.programs.centre(state.search_state, state.population)
        actors.append(parts.execution.acting.actor(centre, state.placed))
    rounds = -(-evaluation.final // evaluation.episodes)
    played: list[list[NDArray[np.float64]]] = [[] for _ in actors]
    for number in range(rounds):
        if attempt.order() is not None:
            return None
        for actor, returns in zip(actors, played, strict=True):
            returns.append(_play_round(attempt, actor, number))
        if (number + 1) % -(-rounds // PROGRESS_LINES) == 0:
            done = min((number + 1) * evaluation.episodes, evaluation.final)
            print(f"final evaluation: {done} of {evaluation.final} episodes per member", flush=True)
    members, *others = (np.concatenate(returns, axis=1)[:, : evaluation.final] for returns in played)
    members = without(state.diverged, members)
    return FinalReturns(members, others[0][:1] if others else None)  # every slot holds the centre


def _play_round(attempt: Attempt, actor: Actor, number: int) -> NDArray[np.float64]:
    parts = attempt.parts
    episodes = final_episodes(parts.seed, number, parts.size, attempt.spec.evaluation.episodes).of(parts.members)
    return gather(parts.gang, parts.evaluator.evaluate_unseen(actor, episodes).returns)


def _frames(returns: FinalReturns) -> dict[str, list[float]]:
    frames = _moments("final/return", returns.members)
    if returns.centre is not None:
        frames |= _moments("population/final_mean_policy_return", returns.centre)
    return frames


def _moments(name: str, returns: NDArray[np.float64]) -> dict[str, list[float]]:
    means, widths = returns.mean(axis=1), half_widths(returns)
    errors = returns.std(axis=1, ddof=1) / np.sqrt(returns.shape[1]) if returns.shape[1] > 1 else widths
    return {
        name: means.tolist(),
        f"{name}_stderr": errors.tolist(),
        f"{name}_low": (means - widths).tolist(),
        f"{name}_high": (means + widths).tolist(),
    }


def _result(attempt: Attempt, winner: int, returns: FinalReturns) -> FinalReturn:
    values = {name: own[0] for name, own in _moments("return", returns.members[winner : winner + 1]).items()}
    last = float(attempt.state.returns[winner].mean())
    return FinalReturn(
        member=winner,
        span=attempt.state.lineage.span_of(winner),
        mean=values["return"],
        stderr=values["return_stderr"],
        low=values["return_low"],
        high=values["return_high"],
        episodes=returns.members.shape[1],
        last_return=last,
        selection_bias=last - values["return"],
        unseen_levels=attempt.parts.evaluator.has_unseen_levels,
    )
