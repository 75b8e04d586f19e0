"""What happens between two segments. Each task is a function of the attempt, and the order is that of `TASKS`:

metrics → evaluation → videos → evolution → reset → checkpoint
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from phylon.returns import median_of
from phylon.run_directory import BlockRecord, CheckpointRecord, checkpoint_number, record_checkpoint, write_pace
from phylon.spec.resets import is_reset_due
from phylon.worker.core.commands import Command
from phylon.worker.gang.gang import Gang, collect, gather
from phylon.worker.population import moving_names
from phylon.worker.population.fitness import fitness_of, fitness_spec, remember
from phylon.worker.population.timing import Progress, is_due
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checkpoint import Arrays, keep_own, write_arrays
from phylon.worker.training.divergence import evaluation_without, without
from phylon.worker.training.evolve import evolve, reset_members
from phylon.worker.training.fitness_source import measure
from phylon.worker.training.state import to_arrays
from phylon.worker.training.stopping import check_goals
from phylon.worker.training.videos import RecordedVideo


class Due(NamedTuple):
    """Which tasks are due at this boundary; the names are those of the tasks, in their order."""

    metrics: bool
    evaluation: bool
    videos: bool
    evolution: bool
    reset: bool
    checkpoint: bool


def run_boundary_tasks(attempt: Attempt, command: Command | None) -> None:
    """`command`: what the launcher asked for; the run leaves afterwards."""
    for place, task in enumerate(TASKS):
        if find_due_tasks(attempt, command)[place]:  # asked again, since an evaluation can end the run
            task(attempt)


def go_on_after_end(attempt: Attempt) -> None:
    """The budget has grown since the run ended here: what an end leaves out is made up for. Where an undisturbed run
    would not have come by in this very state, the run says so."""
    spec, state = attempt.spec, attempt.state
    is_usual_border = state.step % spec.checkpoint.interval == 0 and state.step % spec.evaluation.interval == 0
    # Overlapped learning was brought to its end early, and resets keep away from the end of a budget.
    if not is_usual_border or spec.execution.overlap or spec.resets is not None:
        attempt.journal.record("interrupted", state.step, reason="extended")
    state.seconds_before = state.seconds  # not known any more, so that no selection by the clock is due
    due = find_due_tasks(attempt, None)
    if due.evolution:
        evolve(attempt)
    if due.reset:
        reset_members(attempt)


def find_due_tasks(attempt: Attempt, command: Command | None) -> Due:
    spec, step, is_end = attempt.spec, attempt.state.step, attempt.is_end
    is_evolving = not is_end and _is_evolution_due(attempt)
    is_evaluating = step % spec.evaluation.interval == 0 or is_end or is_evolving
    return Due(
        metrics=step % spec.metrics.interval == 0,
        evaluation=is_evaluating,
        videos=spec.videos is not None and is_evaluating and (step % spec.videos.interval == 0 or is_end),
        evolution=is_evolving,
        reset=not is_end and _is_reset_due(attempt),
        checkpoint=_is_checkpoint_scheduled(attempt) or (command is not None and spec.checkpoint.resume == "latest"),
    )


def _is_evolution_due(attempt: Attempt) -> bool:
    state, method = attempt.state, attempt.parts.method
    if method.is_ready is not None:
        return method.is_ready(state.method_state, state.step)
    before, now = state.step - attempt.segment_steps, state.step
    return is_due(
        attempt.spec.population.method,
        Progress(before, attempt.count_updates(before), state.seconds_before),
        Progress(now, attempt.count_updates(now), state.seconds),
    )


def _is_checkpoint_scheduled(attempt: Attempt) -> bool:
    """Whether an undisturbed run writes one here, too."""
    return attempt.state.step % attempt.spec.checkpoint.interval == 0 or attempt.is_end


def _is_reset_due(attempt: Attempt) -> bool:
    resets, step = attempt.spec.resets, attempt.state.step
    if resets is None:
        return False
    before, now = attempt.count_updates(step - attempt.segment_steps), attempt.count_updates(step)
    return is_reset_due(resets, before, now, total=attempt.count_updates(attempt.spec.budget.env_steps))


def report_metrics(attempt: Attempt) -> None:
    parts, state = attempt.parts, attempt.state
    seconds, phases = attempt.stopwatch.lap()
    steps, state.reported_step = state.step - state.reported_step, state.step
    names = [*moving_names(attempt.spec), *parts.method.hyperparams]
    updates = state.update_metrics.blocks * parts.experience.at_once * parts.learners
    frames = {
        "training/return": without(state.diverged, gather(parts.gang, parts.collector.episodes.returns())).tolist(),
        **state.update_metrics.frames(),
        **{f"hyperparams/{name}": state.hyperparams[name].tolist() for name in names},
        "speed/env_steps_per_second": [parts.size * steps / seconds],
        "speed/updates_per_second": [updates / seconds],
        **{f"time/{phase}": [spent] for phase, spent in phases.items()},
    }
    attempt.journal.record("metrics", state.step, frames=frames)
    if parts.gang.has_own_folder:
        segments = steps / attempt.segment_steps
        write_pace(attempt.run_dir, max(0.0, seconds - parts.gang.take_waited()) / segments)


def evaluate(attempt: Attempt) -> None:
    """Returns of all members, and the fitness that follows from them."""
    parts, state = attempt.parts, attempt.state
    with attempt.stopwatch.phase("evaluate"):
        actor = parts.execution.acting.actor(state.population, state.placed)
        played = gather(parts.gang, parts.evaluator.evaluate(actor, attempt.episodes))
        evaluation = evaluation_without(state.diverged, played)
        frames = evaluation.frames() | _evaluate_centre(attempt)
    spec = fitness_spec(attempt.spec)
    state.returns = evaluation.returns.astype(np.float32)
    measured = measure(attempt, spec.of, evaluation)
    state.history = remember(state.history, *(without(state.diverged, values) for values in measured))
    fitness = fitness_of(spec, state.history)
    state.fitness = fitness.values
    if spec.name != "last" or spec.of != "evaluation":
        frames |= {
            "evaluation/fitness": fitness.values.tolist(),
            "evaluation/fitness_stderr": fitness.errors.tolist(),
        }
    attempt.journal.record("metrics", state.step, frames=frames)
    best = attempt.best_member
    print(
        f"step {state.step:,} of {attempt.spec.budget.env_steps:,} after {attempt.stopwatch.wall:.1f} s: return "
        f"{evaluation.means[best]:.1f} best (member {best}), {median_of(evaluation.means):.1f} median",
        flush=True,
    )
    check_goals(attempt)


def _evaluate_centre(attempt: Attempt) -> dict[str, list[float]]:
    """The mean of a search over weights, on the same episodes, and how far draws stray from it.

    Every slot holds the mean, so the first row is enough.
    """
    parts, state = attempt.parts, attempt.state
    if parts.method.search is None:
        return {}
    centre = attempt.programs.centre(state.search_state, state.population)
    actor = parts.execution.acting.actor(centre, state.placed)
    evaluation = gather(parts.gang, parts.evaluator.evaluate(actor, attempt.episodes))
    return {
        "population/mean_policy_return": [float(evaluation.means[0])],
        "population/mean_policy_return_stderr": [float(evaluation.errors[0])],
        "population/weight_deviation": [float(attempt.programs.weight_deviation(state.search_state))],
    }


def record_videos(attempt: Attempt) -> None:
    parts, state, videos = attempt.parts, attempt.state, attempt.spec.videos
    assert videos is not None and parts.recorder is not None
    members = {"best": [attempt.best_member], "all": range(len(state.fitness))}
    chosen = members[videos.members] if isinstance(videos.members, str) else videos.members
    chosen = [member for member in chosen if not state.diverged[member]]
    with attempt.stopwatch.phase("video"):
        actor = parts.execution.acting.actor(state.population, state.placed)
        episodes = attempt.episodes
        recorded = parts.recorder.record(
            lambda obs, step: actor.exploit(obs, episodes.keys, step),
            int(episodes.seeds[0]),
            chosen,
            state.step,
            lambda: attempt.commands.wanted is not None,
        )
        for video in _everybodys(parts.gang, recorded):
            span = state.lineage.span_of(video.member)
            attempt.journal.record("video", state.step, span=span, **video._asdict())
            print(
                f"step {state.step:,}: video of member {video.member}, return {video.episode_return:.1f} in "
                f"{video.episode_steps:,} steps",
                flush=True,
            )


def _everybodys(gang: Gang, recorded: Iterator[RecordedVideo]) -> Iterator[RecordedVideo]:
    """Members are filmed where they live, by all processes at once."""
    if gang.size == 1:
        return recorded
    shared = collect(gang, [video._asdict() for video in recorded])
    return (RecordedVideo(**video) for own in shared for video in own)


def write_checkpoint(attempt: Attempt) -> None:
    """The environments restart with each checkpoint, because their state is not stored."""
    step, journal = attempt.state.step, attempt.journal
    number = checkpoint_number(step, attempt.segment_steps)
    with attempt.stopwatch.phase("checkpoint"):
        _cut_episodes(attempt)
        # What made the run write an unscheduled one: the attempt that goes on from there reports it.
        interruption = ""
        if not _is_checkpoint_scheduled(attempt):
            interruption = "stopped" if attempt.commands.wanted == "stop" else "handed_back"
        arrays = {
            **to_arrays(attempt.state, attempt.parts),
            "wall": np.array(attempt.stopwatch.wall),
            "interruption": np.array(interruption),
        }
        written, *blocks = _write_together(attempt, number, arrays)
        # The event about a checkpoint is the last that the checkpoint covers.
        journal.record("checkpoint", step, number=number, **written, blocks=blocks)
        journal.sync()
        if attempt.parts.gang.is_first or attempt.parts.gang.has_own_folder:
            record = CheckpointRecord(
                number=number,
                step=step,
                next_seq=journal.next_seq,
                **written,
                blocks=tuple(BlockRecord(**block) for block in blocks),
            )
            record_checkpoint(attempt.run_dir, record)
    with attempt.stopwatch.phase("env"):
        attempt.parts.collector.restart(number)


def _write_together(attempt: Attempt, number: int, arrays: Arrays) -> list[dict[str, Any]]:
    """Each process writes what belongs to its members; returns the files, when all are on disk."""
    gang, run_dir = attempt.parts.gang, attempt.run_dir
    if gang.size > 1:
        arrays = keep_own(arrays, attempt.parts.rows_of_members, gang.is_first)
    own = write_arrays(run_dir, number, arrays, gang.rank)._asdict() if arrays else None
    return [written for written in collect(gang, own) if written]


def _cut_episodes(attempt: Attempt) -> None:
    """What members and their replay remember of episodes that end here must not go on in the next ones."""
    attempt.parts.experience.cut()
    cut, state = attempt.parts.work.algorithm.cut_episodes, attempt.state
    if cut is not None:
        state.population = attempt.parts.execution.place(cut(jax.device_get(state.population)))


TASKS: tuple[Callable[[Attempt], None], ...] = (
    report_metrics,
    evaluate,
    record_videos,
    evolve,
    reset_members,
    write_checkpoint,
)
