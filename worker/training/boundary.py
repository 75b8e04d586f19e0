"""What happens between two segments. Each task is a function of the attempt, and the order is that of `TASKS`:

metrics → evaluation → videos → evolution → reset → checkpoint
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from phylon.run_directory import CheckpointRecord, checkpoint_number, record_checkpoint
from phylon.worker.core.commands import Command
from phylon.worker.population import moving_names
from phylon.worker.population.fitness import fitness_of, fitness_spec, remember
from phylon.worker.population.timing import Progress, is_due
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checkpoint import write_arrays
from phylon.worker.training.evolve import evolve, reset_members
from phylon.worker.training.state import to_arrays


class Due(NamedTuple):
    """Which tasks are due at this boundary; the names are those of the tasks, in their order."""

    metrics: bool
    evaluation: bool
    videos: bool
    evolution: bool
    reset: bool
    checkpoint: bool


def run_boundary_tasks(attempt: Attempt, command: Command | None) -> None:
    """`command`: what the launcher asked for; the run leaves after a checkpoint."""
    for task, is_task_due in zip(TASKS, find_due_tasks(attempt, command), strict=True):
        if is_task_due:
            task(attempt)


def find_due_tasks(attempt: Attempt, command: Command | None) -> Due:
    spec, step, is_end = attempt.spec, attempt.state.step, attempt.is_end
    is_evolving = not is_end and _is_evolution_due(attempt)
    is_evaluating = step % spec.evaluation.interval == 0 or is_end or is_evolving
    return Due(
        metrics=step % spec.metrics.interval == 0,
        evaluation=is_evaluating,
        videos=spec.videos is not None and is_evaluating and (step % spec.videos.interval == 0 or is_end),
        evolution=is_evolving,
        reset=not is_end and _count_resets(attempt, step) > _count_resets(attempt, step - attempt.segment_steps),
        checkpoint=step % spec.checkpoint.interval == 0 or is_end or command is not None,
    )


def _is_evolution_due(attempt: Attempt) -> bool:
    before, now = attempt.state.step - attempt.segment_steps, attempt.state.step
    return is_due(
        attempt.spec.population.method,
        Progress(before, attempt.count_updates(before)),
        Progress(now, attempt.count_updates(now)),
    )


def _count_resets(attempt: Attempt, step: int) -> int:
    """How many resets are due by this step."""
    resets = attempt.spec.resets
    return 0 if resets is None else attempt.count_updates(step) // resets.interval


def report_metrics(attempt: Attempt) -> None:
    parts, state = attempt.parts, attempt.state
    seconds, phases = attempt.stopwatch.lap()
    steps, state.reported_step = state.step - state.reported_step, state.step
    names = [*moving_names(attempt.spec), *parts.method.hyperparams]
    updates = state.update_metrics.blocks * parts.experience.at_once * parts.learners
    frames = {
        "training/return": parts.collector.episodes.returns().tolist(),
        **state.update_metrics.frames(),
        **{f"hyperparams/{name}": state.hyperparams[name].tolist() for name in names},
        "speed/env_steps_per_second": [parts.work.population_size * steps / seconds],
        "speed/updates_per_second": [updates / seconds],
        **{f"time/{phase}": [spent] for phase, spent in phases.items()},
    }
    attempt.journal.record("metrics", state.step, frames=frames)


def evaluate(attempt: Attempt) -> None:
    """Returns of all members, and the fitness that follows from them."""
    parts, state = attempt.parts, attempt.state
    with attempt.stopwatch.phase("evaluate"):
        actor = parts.execution.acting.actor(state.population, state.placed)
        evaluation = parts.evaluator.evaluate(actor)
        frames = evaluation.frames() | _evaluate_centre(attempt)
    spec = fitness_spec(attempt.spec)
    state.returns = evaluation.returns.astype(np.float32)
    state.history = remember(state.history, evaluation.means, evaluation.errors)
    fitness = fitness_of(spec, state.history)
    state.fitness = fitness.values
    if spec.name != "last":
        frames |= {
            "evaluation/fitness": fitness.values.tolist(),
            "evaluation/fitness_stderr": fitness.errors.tolist(),
        }
    attempt.journal.record("metrics", state.step, frames=frames)
    best = attempt.best_member
    print(
        f"step {state.step:,} of {attempt.spec.budget.env_steps:,} after {attempt.stopwatch.wall:.1f} s: return "
        f"{state.fitness[best]:.1f} best (member {best}), {np.median(state.fitness):.1f} median",
        flush=True,
    )


def _evaluate_centre(attempt: Attempt) -> dict[str, list[float]]:
    """The mean of a search over weights, on the same episodes; every slot holds it, so the first row is enough."""
    parts, state = attempt.parts, attempt.state
    if parts.method.search is None:
        return {}
    centre = attempt.programs.centre(state.search_state, state.population)
    evaluation = parts.evaluator.evaluate(parts.execution.acting.actor(centre, state.placed))
    return {
        "population/mean_policy_return": [float(evaluation.means[0])],
        "population/mean_policy_return_stderr": [float(evaluation.errors[0])],
    }


def record_videos(attempt: Attempt) -> None:
    parts, state, videos = attempt.parts, attempt.state, attempt.spec.videos
    assert videos is not None and parts.recorder is not None
    members = {"best": [attempt.best_member], "all": range(len(state.fitness))}
    chosen = members[videos.members] if isinstance(videos.members, str) else videos.members
    with attempt.stopwatch.phase("video"):
        actor = parts.execution.acting.actor(state.population, state.placed)
        recorded = parts.recorder.record(actor.exploit, chosen, state.step, lambda: attempt.commands.wanted is not None)
        for video in recorded:
            span = state.lineage.span_of(video.member)
            attempt.journal.record("video", state.step, span=span, **video._asdict())
            print(
                f"step {state.step:,}: video of member {video.member}, return {video.episode_return:.1f} in "
                f"{video.episode_steps:,} steps",
                flush=True,
            )


def write_checkpoint(attempt: Attempt) -> None:
    """The environments restart with each checkpoint, because their state is not stored."""
    step, journal = attempt.state.step, attempt.journal
    number = checkpoint_number(step, attempt.segment_steps)
    with attempt.stopwatch.phase("checkpoint"):
        arrays = {**to_arrays(attempt.state, attempt.parts), "wall": np.array(attempt.stopwatch.wall)}
        written = write_arrays(attempt.run_dir, number, arrays)._asdict()
        # The event about a checkpoint is the last that the checkpoint covers.
        journal.record("checkpoint", step, number=number, **written)
        journal.sync()
        record_checkpoint(
            attempt.run_dir, CheckpointRecord(number=number, step=step, next_seq=journal.next_seq, **written)
        )
    with attempt.stopwatch.phase("env"):
        attempt.parts.collector.restart(number)


TASKS: tuple[Callable[[Attempt], None], ...] = (
    report_metrics,
    evaluate,
    record_videos,
    evolve,
    reset_members,
    write_checkpoint,
)
