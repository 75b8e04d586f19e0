"""The training loop: collect a segment → learn from it → run the boundary tasks that are due.

With `execution.overlap` a segment is learned from while the next one is collected by the policies from before; the last
one is learned from at the end. None of that has to be stored: what to learn next follows from the step.

What a run does depends only on its spec, its seed and the segment number, so a run resumed from a checkpoint goes on as
if it had never been interrupted.
"""

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Literal

from phylon.worker.training.attempt import Attempt
from phylon.worker.training.boundary import run_boundary_tasks
from phylon.worker.training.collect import Behaviour, FixedActions, PolicyActions
from phylon.worker.training.learn import Updates, commit_updates, learn
from phylon.worker.training.randomness import random_actions
from phylon.worker.training.stopwatch import Stopwatch

Outcome = Literal["finished", "stopped", "yielded"]


def run_loop(attempt: Attempt) -> Outcome:
    state, budget = attempt.state, attempt.spec.budget.env_steps
    with ThreadPoolExecutor(1, "learner") as learner:
        while state.step < budget:
            _run_segment(attempt, learner)
            command = attempt.commands.wanted
            run_boundary_tasks(attempt, command)
            if command == "yield" and state.step < budget:
                return "yielded"
            if command == "stop" and state.step < budget:
                attempt.journal.emit("stopped", state.step)
                return "stopped"
    best = attempt.best_member
    attempt.journal.emit("finished", state.step, best_member=best, fitness=float(state.fitness[best]))
    return "finished"


def _run_segment(attempt: Attempt, learner: Executor) -> None:
    state, experience, stopwatch = attempt.state, attempt.parts.experience, attempt.stopwatch
    segment, is_warming_up = state.step // attempt.segment_steps, state.step < experience.warmup
    is_overlapping = attempt.spec.execution.overlap
    behaviour = _choose_behaviour(attempt, segment, is_warming_up)
    learning: Future[Updates] | None = None
    if is_overlapping and state.step - attempt.segment_steps >= experience.warmup:
        learning = _start_learning(attempt, segment - 1, learner)
    rollout = attempt.parts.collector.collect(behaviour, stopwatch)
    if learning is not None:
        with stopwatch.phase("update"):
            updates = learning.result()
        commit_updates(attempt, updates)
    with stopwatch.phase("sample"):
        experience.add(rollout)
    state.step += attempt.segment_steps
    if not is_warming_up and (attempt.is_end or not is_overlapping):
        commit_updates(attempt, learn(attempt, segment, stopwatch))


def _choose_behaviour(attempt: Attempt, segment: int, is_warming_up: bool) -> Behaviour:
    parts, state, envs = attempt.parts, attempt.state, attempt.spec.environment.envs_per_member
    calls = attempt.segment_steps // envs
    if is_warming_up:
        shape = (calls, parts.work.population_size, envs)
        return FixedActions(random_actions(parts.seed, segment, shape, parts.work.info))
    with attempt.stopwatch.phase("transfer"):
        population = state.population
        if attempt.spec.execution.overlap:  # the original is used up by the updates that run meanwhile
            population = attempt.programs.copy_population(population)
        actor = parts.execution.acting.actor(population, state.placed)
        return PolicyActions(actor, parts.execution.acting.keys(attempt.key, segment, calls))


def _start_learning(attempt: Attempt, segment: int, learner: Executor) -> Future[Updates]:
    """In the learner's thread; until it is done this thread must leave the population alone."""
    if attempt.state.latest_metrics:
        return learner.submit(learn, attempt, segment, Stopwatch())
    # The first time compiles: in this thread, so that the stopwatch sees it.
    learning = Future[Updates]()
    learning.set_result(learn(attempt, segment, attempt.stopwatch))
    return learning
