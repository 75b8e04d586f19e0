"""Advice on the size of a population: the forecast of its spec beside the workers' memory and stored studies."""

from typing import NamedTuple, cast

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Study, Worker
from phylon.backend.specs.refusal import SpecRefused
from phylon.backend.studies import repository as studies
from phylon.backend.workers import service as workers
from phylon.backend.workers.environments import find_offers
from phylon.catalogue import offering
from phylon.contract.advice import Advice, SpeedAdvice, SpeedPoint, WorkerAdvice
from phylon.contract.protocol import DeviceKind
from phylon.forecast.advice import (
    USABLE,
    Curve,
    Subject,
    distance,
    members_that_fit,
    nearest_curve,
    probe_of,
    speed_of,
    subject_of,
)
from phylon.forecast.memory import (
    CARD_PROCESSES,
    PopulationMemory,
    members_at_once,
    members_each,
    population_memory,
)
from phylon.spec import (
    ExperimentSpec,
    Group,
    RuntimeStudySpec,
    SpecInvalid,
    parse_document,
    read_yaml,
    study_to_yaml,
)
from phylon.study import Machine

NEWEST_STUDIES = 20
"""Older ones are not looked at."""


class Evidence(NamedTuple):
    """The curve of a study that is most like a spec."""

    study: Study
    machine: Machine
    curve: Curve


def advise(session: Session, context: Context, viewer: Viewer, yaml: str) -> Advice:
    spec = _experiment(session, yaml)
    memory, subject = population_memory(spec), subject_of(spec)
    size = spec.population.size
    found = _evidence(session, viewer, subject) if isinstance(subject, Subject) else []
    alive = workers.alive(session, context)
    here = [_advise_worker(session, viewer, worker, spec, memory, subject, found) for worker in alive]
    elsewhere = [
        evidence
        for place, evidence in enumerate(found)
        if not any(_is_of(evidence, worker) for worker in alive)
        and not any(_same_device(evidence.machine, better.machine) for better in found[:place])
    ]
    return Advice(
        experiment=spec.name,
        members=size,
        member_state_bytes=memory.kept.device,
        member_step_bytes=memory.batches + memory.step,
        member_host_bytes=memory.kept.host,
        shared_bytes=sum(memory.fixed),
        workers=here,
        elsewhere=[_speed(evidence, subject, size) for evidence in elsewhere if isinstance(subject, Subject)],
        probe=study_to_yaml(probe_of(subject)) if isinstance(subject, Subject) else None,
        unmeasured=None if isinstance(subject, Subject) else subject,
    )


def _experiment(session: Session, yaml: str) -> ExperimentSpec:
    try:
        with offering(find_offers(session)):
            document = parse_document(read_yaml(yaml))
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    if isinstance(document, RuntimeStudySpec):
        raise Invalid("A runtime study trains no population.", "Ask about an experiment, or a group of them.")
    if isinstance(document, Group):
        return max(
            document.experiments.values(), key=lambda spec: sum(population_memory(spec).of(spec.population.size))
        )
    return document


def _evidence(session: Session, viewer: Viewer, subject: Subject) -> list[Evidence]:
    """What studies measured of the subject: the sizes most like its own first, and the newest of those."""
    found: list[Evidence] = []
    for study in studies.newest_measured(session, viewer, NEWEST_STUDIES):
        if study.machine is not None and subject.algorithm in study.spec["algorithms"]:
            curve = nearest_curve(studies.measurements(session, study.id), subject)
            if curve is not None:
                found.append(Evidence(study, Machine.model_validate(study.machine), curve))
    return sorted(found, key=lambda evidence: distance(evidence.curve, subject))


def _advise_worker(
    session: Session,
    viewer: Viewer,
    worker: Worker,
    spec: ExperimentSpec,
    memory: PopulationMemory,
    subject: Subject | str,
    found: list[Evidence],
) -> WorkerAdvice:
    is_cpu = worker.device == "cpu"
    # Only `sharded` surely spreads members over all cards; what a processor's cores share is one memory anyway.
    cards = 1 if is_cpu or spec.execution.strategy == "sharded" else worker.device_count
    device_bytes = worker.memory_bytes // cards
    at_once = members_at_once(spec, worker.device_count if is_cpu else CARD_PROCESSES, is_cpu)
    capacity = members_that_fit(memory, is_cpu, at_once, device_bytes, worker.host_memory_bytes)
    needed = memory.of(members_each(spec), at_once)
    needed_bytes = {"memory": sum(needed), "device": needed.device, "host": needed.host}[capacity.limit]
    limited = (worker.host_memory_bytes or 0) if capacity.limit == "host" else device_bytes
    speed, measuring = None, None
    if isinstance(subject, Subject):
        best = next((evidence for evidence in found if _is_of(evidence, worker)), None)
        speed = None if best is None else _speed(best, subject, spec.population.size)
        measuring = next(
            (
                study.id
                for study in studies.active(session, viewer)
                if worker.id in (study.job.worker_id, study.job.wanted_worker_id)
                and subject.algorithm in study.spec["algorithms"]
            ),
            None,
        )
    return WorkerAdvice(
        worker_id=worker.id,
        worker_name=worker.name,
        device=cast(DeviceKind, worker.device),
        device_name=worker.device_name,
        members=capacity.members,
        limit=capacity.limit,
        needed_bytes=needed_bytes,
        usable_bytes=round(USABLE * limited),
        speed=speed,
        measuring_study_id=measuring,
    )


def _is_of(evidence: Evidence, worker: Worker) -> bool:
    """Measured by this worker, or by one just like it."""
    machine = evidence.machine
    count = machine.cores if machine.device == "cpu" else machine.device_count
    alike = (machine.device, machine.device_name, count) == (worker.device, worker.device_name, worker.device_count)
    return alike or evidence.study.job.worker_id == worker.id


def _same_device(left: Machine, right: Machine) -> bool:
    return (left.device_name, left.device_count, left.cores) == (right.device_name, right.device_count, right.cores)


def _speed(evidence: Evidence, subject: Subject, population_size: int) -> SpeedAdvice:
    curve = evidence.curve
    speed = speed_of(curve.points, population_size)
    return SpeedAdvice(
        study_id=evidence.study.id,
        study_name=evidence.study.name,
        device_name=evidence.machine.device_name,
        hidden=list(curve.hidden),
        batch_size=curve.batch_size,
        is_same_size=distance(curve, subject) == 0,
        points=[SpeedPoint(**point._asdict()) for point in curve.points],
        single_milliseconds=speed.single,
        nearly_free_up_to=speed.nearly_free_up_to,
        one_more_milliseconds=speed.one_more,
    )
