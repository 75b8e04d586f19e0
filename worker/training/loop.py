"""The training loop. A segment is collected and learned from; between segments the host looks around:

    metrics → evaluation → videos → evolution → reset → checkpoint → commands

With `execution.overlap` a segment is learned from while the next one is collected, by the policies from before; the
last one is learned from at the end. None of that has to be stored: what is to be learned next follows from the step.

What a run does depends on its spec, its seed and the segment number alone, so a run taken up from a checkpoint goes on
as if nothing had happened.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.spec import segment_steps
from phylon.spec.videos import VideosSpec
from phylon.worker.algorithms.resets import reset
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams
from phylon.worker.execution import Population
from phylon.worker.execution.compilation import seldom_run
from phylon.worker.execution.interface import Report
from phylon.worker.population import Evolution, PopulationScores, moving_names, ranks
from phylon.worker.population.fitness import fitness_of, fitness_spec, inherit, remember
from phylon.worker.population.timing import Progress, is_due
from phylon.worker.training.assembly import Parts
from phylon.worker.training.checkpoint import write_arrays
from phylon.worker.training.collect import Exploring, Given
from phylon.worker.training.commands import Commands
from phylon.worker.training.failure import check_losses
from phylon.worker.training.journal import Journal
from phylon.worker.training.proof import prove_copies, prove_hyperparams
from phylon.worker.training.randomness import random_actions, run_key
from phylon.worker.training.run_directory import CheckpointRecord, checkpoint_number, record_checkpoint
from phylon.worker.training.state import TrainingState, to_arrays
from phylon.worker.training.stopwatch import Stopwatch

Outcome = Literal["finished", "stopped", "yielded"]
Learned = tuple[Population, list[Any]]
"""The population after a segment's updates, and the `Report` of each call for them, in host memory."""


class Loop:
    def __init__(
        self,
        parts: Parts,
        state: TrainingState,
        run_dir: Path,
        journal: Journal,
        stopwatch: Stopwatch,
        commands: Commands,
    ) -> None:
        self._parts, self._spec, self._execution = parts, parts.spec, parts.execution
        self.state = state
        self._run_dir, self._journal, self._stopwatch, self._commands = run_dir, journal, stopwatch, commands
        self._key = run_key(parts.seed)
        self._segment_steps = segment_steps(parts.spec)
        self._evolve_program = jax.jit(self._planned, compiler_options=seldom_run())
        self._reset_program = jax.jit(self._renewed, compiler_options=seldom_run())
        self._breed_program = jax.jit(self._bred, compiler_options=seldom_run())
        search = parts.method.search
        self._centre_program = jax.jit(search.centre, compiler_options=seldom_run()) if search else None
        self._latest_metrics: dict[str, NDArray[np.float32]] = {}
        """Of the latest updates, [P]. Between a checkpoint and an evolution there are some, so none are stored."""
        self._told_step = state.step
        self._copy_program = jax.jit(partial(jax.tree.map, jnp.copy))
        self._beside = ThreadPoolExecutor(1, "learner")

    def run(self) -> Outcome:
        state, budget = self.state, self._spec.budget.env_steps
        while state.step < budget:
            self._segment()
            command = self._commands.wanted
            self._look_around(must_checkpoint=command is not None)
            if command and state.step < budget:
                return self._leave(command)
        best = best_member(state.fitness)
        self._journal.tell("finished", state.step, best_member=best, fitness=float(state.fitness[best]))
        return "finished"

    def _segment(self) -> None:
        state, spec = self.state, self._spec
        segment = state.step // self._segment_steps
        warmup, is_overlapping = self._parts.experience.warmup, spec.execution.overlap
        is_warming_up = state.step < warmup
        calls = self._segment_steps // spec.environment.envs_per_member
        behaviour = self._acting_randomly(segment, calls) if is_warming_up else self._acting(segment, calls)
        has_old_to_learn = is_overlapping and state.step - self._segment_steps >= warmup
        learning = self._begin_learning(segment - 1) if has_old_to_learn else None
        rollout = self._parts.collector.collect(behaviour, self._stopwatch)
        if learning is not None:
            with self._stopwatch.phase("update"):
                learned = learning.result()
            self._take_over(*learned)
        with self._stopwatch.phase("sample"):
            self._parts.experience.take(rollout)
        state.step += self._segment_steps
        is_end = state.step == spec.budget.env_steps
        if not is_warming_up and (is_end or not is_overlapping):
            self._take_over(*self._learn(segment, self._stopwatch))

    def _acting_randomly(self, segment: int, calls: int) -> Given:
        work = self._parts.work
        shape = (calls, work.population_size, self._spec.environment.envs_per_member)
        return Given(random_actions(self._parts.seed, segment, shape, work.info))

    def _acting(self, segment: int, calls: int) -> Exploring:
        with self._stopwatch.phase("transfer"):
            population = self.state.population
            if self._spec.execution.overlap:  # the one that learns meanwhile is used up
                population = self._copy_program(population)
            actor = self._execution.actor(population, self.state.placed)
            keys = self._execution.exploration_keys(self._key, segment, calls)
        return Exploring(actor, keys)

    def _begin_learning(self, segment: int) -> Future[Learned]:
        """Beside whatever this thread does next, which must leave the population alone."""
        if self._latest_metrics:
            return self._beside.submit(self._learn, segment, Stopwatch())
        # The first time compiles: in this thread, for the stopwatch has to see it.
        learning = Future[Learned]()
        learning.set_result(self._learn(segment, self._stopwatch))
        return learning

    def _learn(self, segment: int, stopwatch: Stopwatch) -> Learned:
        """From what was gathered until the end of that segment; uses the population up.

        A call to an accelerator returns at once: what the next one needs is drawn and handed over while it works. The
        one before it has ended by then, so there are never the batches of more than two.
        """
        experience, population, reports = self._parts.experience, self.state.population, list[Report]()
        for number, data in enumerate(self._handed_over(segment, stopwatch)):
            first = segment * experience.updates + number * experience.at_once
            with stopwatch.phase("update"):
                population, report = self._execution.update(population, self.state.placed, data, self._key, first)
                jax.block_until_ready(reports[-1:])
            reports.append(report)
        with stopwatch.phase("update"):
            return population, jax.device_get(reports)

    def _handed_over(self, segment: int, stopwatch: Stopwatch) -> Iterator[Any]:
        """What each call for the segment's updates learns from, on the device."""
        experience = self._parts.experience
        calls = experience.draw(segment)
        for _ in range(experience.updates // experience.at_once):
            with stopwatch.phase("sample"):
                drawn = next(calls)
            with stopwatch.phase("transfer"):
                data = jax.block_until_ready(self._execution.place(drawn))
            yield data

    def _take_over(self, population: Population, reports: list[Any]) -> None:
        state = self.state
        state.population = population
        for report in reports:
            learned = {name: values[: self._execution.learners] for name, values in report.metrics.items()}
            check_losses(learned, state.hyperparams, state.step)
            prove_hyperparams(state.hyperparams, report.hyperparams)
            state.update_metrics.add(report.metrics)
            self._latest_metrics = report.metrics

    def _look_around(self, must_checkpoint: bool) -> None:
        spec, step = self._spec, self.state.step
        is_end = step == spec.budget.env_steps
        if step % spec.metrics.interval == 0:
            self._tell_metrics()
        is_evolving = not is_end and self._is_evolution_due(step)
        if step % spec.evaluation.interval == 0 or is_end or is_evolving:
            self._evaluate()
            if spec.videos is not None and (step % spec.videos.interval == 0 or is_end):
                self._film(spec.videos)
        if is_evolving:
            self._evolve()
        if self._reset_number(step) > self._reset_number(step - self._segment_steps) and not is_end:
            self._reset()
        if step % spec.checkpoint.interval == 0 or is_end or must_checkpoint:
            self._checkpoint()

    def _tell_metrics(self) -> None:
        state, size = self.state, self._parts.work.population_size
        seconds, phases = self._stopwatch.lap()
        steps, self._told_step = state.step - self._told_step, state.step
        names = [*moving_names(self._spec), *self._parts.method.hyperparams]
        updates = state.update_metrics.blocks * self._parts.experience.at_once * self._execution.learners
        frames = {
            "training/return": self._parts.collector.episodes.returns().tolist(),
            **state.update_metrics.frames(),
            **{f"hyperparams/{name}": state.hyperparams[name].tolist() for name in names},
            "speed/env_steps_per_second": [size * steps / seconds],
            "speed/updates_per_second": [updates / seconds],
            **{f"time/{phase}": [spent] for phase, spent in phases.items()},
        }
        self._journal.tell("metrics", state.step, frames=frames)

    def _evaluate(self) -> None:
        state = self.state
        with self._stopwatch.phase("evaluate"):
            actor = self._execution.actor(state.population, state.placed)
            evaluation = self._parts.evaluator.evaluate(actor)
            frames = evaluation.frames() | self._evaluate_centre()
        spec = fitness_spec(self._spec)
        state.returns = evaluation.returns.astype(np.float32)
        state.history = remember(state.history, evaluation.means, evaluation.errors)
        fitness = fitness_of(spec, state.history)
        state.fitness = fitness.values
        if spec.name != "last":
            frames |= {
                "evaluation/fitness": fitness.values.tolist(),
                "evaluation/fitness_stderr": fitness.errors.tolist(),
            }
        self._journal.tell("metrics", state.step, frames=frames)
        best = best_member(state.fitness)
        print(
            f"step {state.step:,} of {self._spec.budget.env_steps:,} after {self._stopwatch.wall:.1f} s: return "
            f"{state.fitness[best]:.1f} best (member {best}), {np.median(state.fitness):.1f} median",
            flush=True,
        )

    def _evaluate_centre(self) -> dict[str, list[float]]:
        """The best guess of a search over weights, on the same episodes; every slot holds it, so one row says all."""
        state = self.state
        if self._centre_program is None:
            return {}
        centre = self._centre_program(state.search_state, state.population)
        actor = self._execution.actor(centre, state.placed)
        evaluation = self._parts.evaluator.evaluate(actor)
        return {
            "population/mean_policy_return": [float(evaluation.means[0])],
            "population/mean_policy_return_stderr": [float(evaluation.errors[0])],
        }

    def _is_evolution_due(self, step: int) -> bool:
        before = step - self._segment_steps
        return is_due(
            self._spec.population.method,
            Progress(before, self._updates_made(before)),
            Progress(step, self._updates_made(step)),
        )

    def _film(self, videos: VideosSpec) -> None:
        state, studio = self.state, self._parts.studio
        assert studio is not None
        members = {"best": [best_member(state.fitness)], "all": range(len(state.fitness))}
        chosen = members[videos.members] if isinstance(videos.members, str) else videos.members
        with self._stopwatch.phase("video"):
            actor = self._execution.actor(state.population, state.placed)
            for film in studio.films(actor.exploit, chosen, state.step, lambda: self._commands.wanted is not None):
                span = state.lineage.span_of(film.member)
                self._journal.tell("video", state.step, span=span, **film._asdict())
                print(
                    f"step {state.step:,}: member {film.member} is filmed, return {film.episode_return:.1f} in "
                    f"{film.episode_steps:,} steps",
                    flush=True,
                )

    def _evolve(self) -> None:
        state, method = self.state, self._parts.method
        with self._stopwatch.phase("evolve"):
            scores = PopulationScores(np.int32(state.step), state.fitness, state.returns)
            evolution, rank = jax.device_get(
                self._evolve_program(self._key, state.method_state, state.hyperparams, scores)
            )
            told = {name: self._latest_metrics[name] for name in method.reported if name in self._latest_metrics}
            evolution = evolution._replace(reasons={**(evolution.reasons or {}), **told})
            weights = self._copy(evolution)
            if method.search:
                state.search_state, state.population = self._breed_program(
                    self._key, state.search_state, state.population, scores
                )
                weights = self._execution.checksum(state.population)
            spans = state.lineage.births(
                evolution,
                births=method.describe(evolution),
                before=state.hyperparams,
                fitness=state.fitness,
                ranks=rank,
                weights=weights,
            )
            if method.copying.replay:
                self._parts.experience.copy(evolution.parents)
            state.history = inherit(state.history, evolution.parents)
            state.method_state, state.hyperparams = evolution.method_state, evolution.hyperparams
            state.placed = self._execution.place(state.hyperparams)
        if spans:
            self._journal.tell("lineage", state.step, spans=spans)
            moved = [(span.slot, evolution.parents[span.slot]) for span in spans]
            replaced = ", ".join(f"{slot} by {parent}" for slot, parent in moved if slot != parent)
            what = f"members replaced: {replaced}" if replaced else f"{spans[0].operator} for {len(moved)} members"
            print(f"step {state.step:,}: {what}", flush=True)

    def _copy(self, evolution: Evolution[NDArray[Any]]) -> NDArray[np.uint32]:
        """Move weights along the plan and prove it; gives the checksums of what was copied, [P, 2]."""
        state, is_policy = self.state, self._parts.method.copying.what == "policy"
        copied = state.population
        if is_policy:
            copied = {field: getattr(copied, field) for field in self._parts.work.algorithm.policy}
        before = self._execution.checksum(copied)
        copied = self._execution.gather(copied, evolution.parents)
        after = self._execution.checksum(copied)
        prove_copies(before, after, evolution.parents, evolution.hyperparams)
        state.population = state.population._replace(**copied) if is_policy else copied
        return after

    def _planned(
        self, key: Array, method_state: Any, hyperparams: Hyperparams, scores: PopulationScores[Array]
    ) -> tuple[Evolution[Array], Array]:
        evolve_key = derive(jax.random.wrap_key_data(key), "evolve", scores.step)
        return self._parts.method.evolve(evolve_key, method_state, hyperparams, scores), ranks(scores.fitness)

    def _bred(
        self, key: Array, search_state: Any, population: Population, scores: PopulationScores[Array]
    ) -> tuple[Any, Population]:
        search = self._parts.method.search
        assert search is not None
        return search.breed(
            derive(jax.random.wrap_key_data(key), "breed", scores.step), search_state, population, scores
        )

    def _updates_made(self, step: int) -> int:
        """By each member until this step; it follows from the step, so nothing has to be remembered."""
        experience = self._parts.experience
        if self._spec.execution.overlap:
            step -= self._segment_steps
        return max(0, step - experience.warmup) // self._segment_steps * experience.updates

    def _reset_number(self, step: int) -> int:
        """How many resets are due by this step."""
        return 0 if self._spec.resets is None else self._updates_made(step) // self._spec.resets.interval

    def _reset(self) -> None:
        state, resets = self.state, self._spec.resets
        assert resets is not None
        with self._stopwatch.phase("evolve"):
            # On one device, as fresh members are drawn; see `build_execution`.
            population = jax.device_get(state.population)
            renewed = self._reset_program(self._key, np.uint32(state.step), state.hyperparams, population)
            state.population = self._execution.place(jax.device_get(renewed))
            weights = self._execution.checksum(state.population)
            spans = state.lineage.resets(
                parts=resets.parts or tuple(self._parts.work.algorithm.parts),
                hyperparams=state.hyperparams,
                fitness=state.fitness,
                weights=weights,
            )
        self._journal.tell("lineage", state.step, spans=spans)
        print(f"step {state.step:,}: every member is reset", flush=True)

    def _renewed(self, key: Array, step: Array, hyperparams: Hyperparams, population: Population) -> Population:
        algorithm, resets, size = self._parts.work.algorithm, self._spec.resets, self._parts.work.population_size
        assert resets is not None
        keys = member_keys(derive(jax.random.wrap_key_data(key), "reset", step), size)
        return jax.vmap(partial(reset, algorithm, resets))(keys, hyperparams, population)

    def _checkpoint(self) -> None:
        step = self.state.step
        number = checkpoint_number(step, self._segment_steps)
        with self._stopwatch.phase("checkpoint"):
            arrays = {**to_arrays(self.state, self._parts), "wall": np.array(self._stopwatch.wall)}
            written = write_arrays(self._run_dir, number, arrays)._asdict()
            # The event about a checkpoint is the last that the checkpoint covers.
            self._journal.tell("checkpoint", step, number=number, **written)
            self._journal.sync()
            record_checkpoint(
                self._run_dir,
                CheckpointRecord(number=number, step=step, next_seq=self._journal.next_seq, **written),
            )
        with self._stopwatch.phase("env"):
            self._parts.collector.restart(number)

    def _leave(self, command: Literal["stop", "yield"]) -> Outcome:
        if command == "yield":
            return "yielded"
        self._journal.tell("stopped", self.state.step)
        return "stopped"


def best_member(fitness: np.ndarray) -> int:
    return int(np.argmax(np.nan_to_num(fitness, nan=-np.inf)))
