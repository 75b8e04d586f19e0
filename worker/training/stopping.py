"""When a run ends: whichever limit of its budget comes first. Steps and seconds are looked at when a segment ends,
what members achieve when they were evaluated."""

import numpy as np

from phylon.contract.events import EndReason
from phylon.spec.budget import BudgetSpec, PlateauSpec
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.state import Plateau


def find_end(attempt: Attempt) -> EndReason | None:
    """Which limit the state has reached that an attempt begins with: the last checkpoint may have been the end."""
    state, budget = attempt.state, attempt.spec.budget
    return find_limit(budget, state.step, state.seconds) or find_goal(budget, _best_return(attempt), state.plateau)


def check_limits(attempt: Attempt) -> None:
    """Called once per segment; it reads the clock that everything else at this border goes by."""
    state = attempt.state
    state.seconds_before, state.seconds = state.seconds, attempt.clock()
    state.end = find_limit(attempt.spec.budget, state.step, state.seconds)


def check_goals(attempt: Attempt) -> None:
    """Called after each evaluation."""
    state, budget, best_return = attempt.state, attempt.spec.budget, _best_return(attempt)
    if budget.plateau is not None and attempt.count_updates(state.step) > 0:
        state.plateau = follow(state.plateau, budget.plateau, best_return)
    state.end = state.end or find_goal(budget, best_return, state.plateau)


def _best_return(attempt: Attempt) -> float:
    """Of the member that selection ranks first, at the latest evaluation."""
    return float(np.mean(attempt.state.returns[attempt.best_member], dtype=np.float64))


def find_limit(budget: BudgetSpec, step: int, seconds: float) -> EndReason | None:
    if step >= budget.env_steps:
        return "budget"
    return "seconds" if budget.seconds is not None and seconds >= budget.seconds else None


def find_goal(budget: BudgetSpec, best_return: float, plateau: Plateau) -> EndReason | None:
    if budget.target_return is not None and best_return >= budget.target_return:
        return "target_return"
    is_flat = budget.plateau is not None and plateau.evaluations >= budget.plateau.evaluations
    return "plateau" if is_flat else None


def follow(plateau: Plateau, spec: PlateauSpec, best_return: float) -> Plateau:
    """A return that is not a number is no rise."""
    if best_return > plateau.peak + spec.improvement:
        return Plateau(best_return)
    return plateau._replace(evaluations=plateau.evaluations + 1)
