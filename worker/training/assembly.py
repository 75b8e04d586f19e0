"""Builds the parts of a training run from its spec."""

import json
from functools import partial
from pathlib import Path
from typing import NamedTuple

from phylon.run_directory import replace_file
from phylon.spec import ExperimentSpec, bounds, hyperparameters, segment_steps
from phylon.spec.algorithms import tunable_fields
from phylon.spec.segments import update_numbers
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.environments import describe_environment, has_unseen_levels, make_environments
from phylon.worker.environments.jax_environment import JaxPool
from phylon.worker.execution import Execution, Workload, build_execution, build_joint_execution
from phylon.worker.execution.auto import Chosen, Trial, choose
from phylon.worker.execution.interface import EvaluationPolicy
from phylon.worker.population import PopulationMethod, build_method
from phylon.worker.population.fitness import fitness_spec
from phylon.worker.training.collect import Collector, HostCollector
from phylon.worker.training.collect_on_device import DeviceCollector
from phylon.worker.training.evaluate import Evaluator, HostEvaluator
from phylon.worker.training.evaluate_on_device import DeviceEvaluator
from phylon.worker.training.experience import HandedOver, make_experience
from phylon.worker.training.placement import choose_place
from phylon.worker.training.reads import check_reads
from phylon.worker.training.replay_on_device import DeviceReplay
from phylon.worker.training.segment_on_device import DeviceSegment
from phylon.worker.training.videos import VideoRecorder


class Parts(NamedTuple):
    spec: ExperimentSpec
    seed: int
    work: Workload
    learners: int
    """How many members learn by gradients: those in the first slots, and all of them except in some joint methods."""
    execution: Execution
    explanation: str
    """Why this strategy."""
    method: PopulationMethod
    experience: HandedOver | DeviceReplay
    segment: DeviceSegment | None
    """Where the replay lies on the device."""
    collector: Collector
    evaluator: Evaluator
    recorder: VideoRecorder | None
    """Where the spec asks for videos."""

    def close(self) -> None:
        self.execution.close()
        self.collector.close()
        self.evaluator.close()
        if self.recorder is not None:
            self.recorder.close()


def assemble(spec: ExperimentSpec, seed: int, run_dir: Path, measurements: Path) -> Parts:
    size = spec.population.size
    info = describe_environment(spec.environment)._replace(envs_per_member=spec.environment.envs_per_member)
    method, joint = build_method(spec), build_joint_algorithm(spec, info)
    typical = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(spec.algorithm).items()}
    work = Workload(
        partial(build_algorithm, spec.algorithm, info, update_numbers(spec)),
        info,
        size,
        {**typical, **method.hyperparams},
        EvaluationPolicy(spec.evaluation.policy == "sample", spec.evaluation.epsilon),
    )
    check_reads(spec, work, joint)
    learners = joint.learners if joint else size
    experience: HandedOver | DeviceReplay = make_experience(spec, info, seed, learners)
    if joint:
        reason = f"members of {spec.population.method.name} share a critic, so they learn in one program on one device"
        chosen, is_on_device = Chosen(build_joint_execution(work, joint), f"vectorized: {reason}"), False
    else:
        chosen, is_on_device = _recall_or_choose(spec, work, experience, run_dir, measurements)
    collector, segment = _make_collector(spec, seed, chosen.execution), None
    if is_on_device:
        assert isinstance(collector, DeviceCollector), f"suite {spec.environment.suite} says that it is functional"
        experience = DeviceReplay(spec, info, seed, chosen.execution)
        segment = DeviceSegment(work, chosen.execution, collector, experience, seed)
    return Parts(
        spec=spec,
        seed=seed,
        work=work,
        learners=learners,
        execution=chosen.execution,
        explanation=chosen.explanation,
        method=method,
        experience=experience,
        segment=segment,
        collector=collector,
        evaluator=_make_evaluator(spec, chosen.execution),
        recorder=None if spec.videos is None else VideoRecorder(spec, spec.videos, run_dir),
    )


def _make_collector(spec: ExperimentSpec, seed: int, execution: Execution) -> Collector:
    size, environment = spec.population.size, spec.environment
    pool = make_environments(environment, size * environment.envs_per_member)
    kept = spec.evaluation.episodes if fitness_spec(spec).of == "training" else 0
    if isinstance(pool, JaxPool):
        return DeviceCollector(pool, size, seed, execution, kept)
    return HostCollector(pool, size, seed, kept)


def _make_evaluator(spec: ExperimentSpec, execution: Execution) -> Evaluator:
    size, environment = spec.population.size, spec.environment
    count = size * spec.evaluation.episodes
    pool = make_environments(environment, count, "evaluate")
    if isinstance(pool, JaxPool):
        return DeviceEvaluator(pool, size, execution)
    unseen = make_environments(environment, count, "test") if has_unseen_levels(environment) else None
    return HostEvaluator(pool, size, unseen)


def _recall_or_choose(
    spec: ExperimentSpec, work: Workload, experience: HandedOver, run_dir: Path, measurements: Path
) -> tuple[Chosen, bool]:
    """The strategy, and whether the replay lies on the device. Strategies round differently, and so does a segment that
    is one program, so a resumed run must keep what it started with."""
    file = run_dir / "strategy.json"
    if file.exists():
        earlier = json.loads(file.read_bytes())
        chunk = earlier.get("chunk") or spec.execution.chunk  # it rounds differently, too; older runs chose none
        settings = spec.execution.model_copy(update={"chunk": chunk})
        execution = build_execution(earlier["strategy"], work, settings)
        chosen = Chosen(execution, earlier["explanation"], chunk)
        return chosen, earlier.get("replay") == "device"  # older runs do not say
    tunable = set(tunable_fields(type(spec.algorithm)))
    structure = {
        "algorithm": spec.algorithm.model_dump(mode="json", exclude=tunable),
        "updates": experience.at_once,
        "segment": [segment_steps(spec), spec.environment.envs_per_member],
    }

    def trial() -> Trial:
        return Trial(experience.example(), experience.at_once)

    must_fuse = spec.replay is not None and spec.replay.placement == "device"
    chosen = choose(spec.execution, work, trial, structure, measurements, must_fuse)
    place = choose_place(spec, chosen.execution)
    chosen = chosen._replace(explanation="; ".join(filter(None, (chosen.explanation, place.why))))
    content = {
        "strategy": chosen.execution.strategy,
        "explanation": chosen.explanation,
        "chunk": chosen.chunk,
        "replay": "device" if place.is_on_device else "host",
    }
    replace_file(file, json.dumps(content, indent=2).encode())
    return chosen, place.is_on_device
