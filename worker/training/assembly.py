"""Builds the parts of a training run from its spec."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax

from phylon.launch import block_of
from phylon.run_directory import replace_file
from phylon.spec import ExperimentSpec, bounds, hyperparameters, segment_steps
from phylon.spec.algorithms import tunable_fields
from phylon.spec.segments import update_numbers
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import Joint
from phylon.worker.environments import describe_environment, has_unseen_levels, make_environments
from phylon.worker.environments.jax_environment import JaxPool
from phylon.worker.execution import Execution, Workload, build_execution, build_joint_execution
from phylon.worker.execution.auto import Chosen, Trial, choose
from phylon.worker.execution.interface import EvaluationPolicy
from phylon.worker.gang.gang import ALONE, Gang, agree, collect, everywhere, gather
from phylon.worker.population import PopulationMethod, build_method
from phylon.worker.population.fitness import fitness_spec
from phylon.worker.training.checkpoint import Wanted
from phylon.worker.training.collect import Collector, HostCollector
from phylon.worker.training.collect_on_device import DeviceCollector
from phylon.worker.training.device_memory import explained_memory
from phylon.worker.training.evaluate import Evaluator, HostEvaluator
from phylon.worker.training.evaluate_on_device import DeviceEvaluator
from phylon.worker.training.experience import HandedOver, make_experience
from phylon.worker.training.placement import Place, choose_place, require_fusible
from phylon.worker.training.reads import check_reads
from phylon.worker.training.replay_on_device import DeviceReplay
from phylon.worker.training.segment_on_device import DeviceSegment
from phylon.worker.training.videos import VideoRecorder


class Parts(NamedTuple):
    spec: ExperimentSpec
    seed: int
    gang: Gang
    members: range
    """The slots of those that are stepped and evaluated here."""
    held: range
    """The slots of those whose weights are here: the same, or everybody where members learn as one."""
    work: Workload
    """Of those whose weights are here."""
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

    @property
    def size(self) -> int:
        """Of the whole population, here and elsewhere."""
        return self.spec.population.size

    @property
    def is_joint(self) -> bool:
        """Everybody's weights are in every process, and every process learns all of them."""
        return isinstance(self.execution.shape, Joint)

    @property
    def shares_experience(self) -> bool:
        """What all members went through is in every process."""
        replay = self.spec.replay
        return self.is_joint or (replay is not None and replay.sharing == "shared")

    @property
    def rows_of_members(self) -> Wanted:
        """What of a checkpoint is of single members, in single processes."""
        own = () if self.is_joint else ("population/",) if self.shares_experience else ("population/", "replay/")
        return Wanted(own, self.held)

    def gather_held(self, own: Any) -> Any:
        """Leaves [those whose weights are here, ...] -> [P, ...]."""
        return own if self.is_joint else gather(self.gang, own)

    def take_held(self, everybody: Any) -> Any:
        """Leaves [P, ...] of the host -> [those whose weights are here, ...]."""
        return jax.tree.map(lambda leaf: leaf[self.held.start : self.held.stop], everybody)

    def close(self) -> None:
        self.execution.close()
        self.collector.close()
        self.evaluator.close()
        if self.recorder is not None:
            self.recorder.close()


def assemble(spec: ExperimentSpec, seed: int, run_dir: Path, measurements: Path, gang: Gang = ALONE) -> Parts:
    members = block_of(gang.rank, gang.size, spec.population.size)
    info = everywhere(gang, lambda: describe_environment(spec.environment))
    info = info._replace(envs_per_member=spec.environment.envs_per_member)
    method, joint = build_method(spec), build_joint_algorithm(spec, info)
    typical = {name: sum(bounds(value)) / 2 for name, value in hyperparameters(spec.algorithm).items()}
    if gang.size > spec.population.size:
        raise EngineError(
            f"{gang.size} processes were launched for {spec.population.size} members",
            f"launch at most one for each member: {gang.launch_of(spec.population.size)}",
        )
    if gang.size > 1 and method.search and not joint:
        raise EngineError(
            f"{spec.population.method.name} makes weights of all members, which lie in {gang.size} processes",
            f"launch one process: {gang.launch_of(1)}",
        )
    held = range(spec.population.size) if joint else members
    work = Workload(
        partial(build_algorithm, spec.algorithm, info, update_numbers(spec)),
        info,
        len(held),
        {**typical, **method.hyperparams},
        EvaluationPolicy(spec.evaluation.policy == "sample", spec.evaluation.epsilon),
        held.start,
    )
    check_reads(spec, work, joint)
    learners = joint.learners if joint else spec.population.size
    experience: HandedOver | DeviceReplay = make_experience(spec, info, seed, learners, held)
    if joint:
        reason = f"members of {spec.population.method.name} share a critic, so they learn in one program on one device"
        chosen, is_on_device = Chosen(build_joint_execution(work, joint, members), f"vectorized: {reason}"), False
    else:
        chosen, is_on_device = recall_or_choose(spec, work, experience, run_dir, measurements, gang)
    collector, segment = _make_collector(spec, seed, chosen.execution, members), None
    if is_on_device:
        assert isinstance(collector, DeviceCollector), f"suite {spec.environment.suite} says that it is functional"
        experience = DeviceReplay(spec, info, seed, chosen.execution, held)
        segment = DeviceSegment(work, chosen.execution, collector, experience, seed)
    return Parts(
        spec=spec,
        seed=seed,
        gang=gang,
        members=members,
        held=held,
        work=work,
        learners=learners,
        execution=chosen.execution,
        explanation=chosen.explanation,
        method=method,
        experience=experience,
        segment=segment,
        collector=collector,
        evaluator=_make_evaluator(spec, chosen.execution, len(members)),
        recorder=None if spec.videos is None else VideoRecorder(spec, spec.videos, run_dir, members),
    )


def _make_collector(spec: ExperimentSpec, seed: int, execution: Execution, members: range) -> Collector:
    size, environment = len(members), spec.environment
    pool = make_environments(environment, size * environment.envs_per_member)
    kept = spec.evaluation.episodes if fitness_spec(spec).of == "training" else 0
    if isinstance(pool, JaxPool):
        return DeviceCollector(pool, size, seed, execution, kept, members.start)
    return HostCollector(pool, size, seed, kept, members.start)


def _make_evaluator(spec: ExperimentSpec, execution: Execution, size: int) -> Evaluator:
    environment, count = spec.environment, size * spec.evaluation.episodes
    pool = make_environments(environment, count, "evaluate")
    if isinstance(pool, JaxPool):
        return DeviceEvaluator(pool, size, execution)
    unseen = make_environments(environment, count, "test") if has_unseen_levels(environment) else None
    return HostEvaluator(pool, size, unseen)


def recall_or_choose(
    spec: ExperimentSpec, work: Workload, experience: HandedOver, run_dir: Path, measurements: Path, gang: Gang
) -> tuple[Chosen, bool]:
    """The strategy, and whether the replay lies on the device. Strategies round differently, and so does a segment that
    is one program: a resumed run must keep what it started with, and all processes have the same, as the first of them
    chooses."""
    file = run_dir / "strategy.json"
    known = agree(gang, json.loads(file.read_bytes()) if gang.is_first and file.exists() else None)
    is_new = known is None
    if is_new:
        first = everywhere(gang, lambda: _choose(spec, work, experience, measurements, gang) if gang.is_first else None)
        known = agree(gang, first and {"strategy": first.execution.strategy, "chunk": first.chunk})
        chosen = everywhere(gang, lambda: first or _build(spec, work, known))
    else:
        chosen = everywhere(gang, lambda: _build(spec, work, known))
    execution = chosen.execution
    if not is_new:
        is_on_device = known.get("replay") == "device"  # older runs do not say
        if is_on_device:
            everywhere(gang, lambda: require_fusible(execution))
        return chosen, is_on_device
    places = [
        Place(*each)
        for each in collect(gang, everywhere(gang, lambda: choose_place(spec, execution, work.population_size)))
    ]
    place = next((each for each in places if not each.is_on_device), places[0])
    chosen = chosen._replace(explanation="; ".join(filter(None, (chosen.explanation, place.why))))
    known |= {"explanation": chosen.explanation, "replay": "device" if place.is_on_device else "host"}
    if gang.is_first:
        replace_file(file, json.dumps(known, indent=2).encode())
    return chosen, place.is_on_device


def _build(spec: ExperimentSpec, work: Workload, known: Mapping[str, Any]) -> Chosen:
    chunk = known.get("chunk") or spec.execution.chunk  # it rounds differently, too; older runs chose none
    settings = spec.execution.model_copy(update={"chunk": chunk})
    return Chosen(build_execution(known["strategy"], work, settings), known.get("explanation", ""), chunk)


def _choose(spec: ExperimentSpec, work: Workload, experience: HandedOver, measurements: Path, gang: Gang) -> Chosen:
    tunable = set(tunable_fields(type(spec.algorithm)))
    structure = {
        "algorithm": spec.algorithm.model_dump(mode="json", exclude=tunable),
        "updates": experience.at_once,
        "segment": [segment_steps(spec), spec.environment.envs_per_member],
    }

    def trial() -> Trial:
        return Trial(experience.example(), experience.at_once)

    must_fuse = spec.replay is not None and spec.replay.placement == "device"
    with explained_memory(spec, gang):
        return choose(spec.execution, work, trial, structure, measurements, must_fuse)
