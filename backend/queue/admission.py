"""What a spec asks of a worker, and whether any that is known could ever give it."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy.orm import Session

from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict, Invalid
from phylon.backend.queue import repository
from phylon.backend.queue.ask import Ask, Needs, Offer, describe, find_lacking, gigabytes, most_ranks
from phylon.backend.queue.snapshot import host_offer
from phylon.forecast.memory import CARD_PROCESSES, members_at_once, members_each, population_memory
from phylon.spec import ExperimentSpec, RuntimeStudySpec
from phylon.spec.environment import EnvironmentSpec
from phylon.spec.resources import ResourcesSpec

KNOWN = timedelta(days=1)
"""How long a worker that is gone still counts: it may come back."""


class NoWorkerFits(Conflict):
    """No worker that is known could ever execute this; nothing was stored."""

    def __init__(self, asked: str, lacking: str) -> None:
        super().__init__(
            f"It needs {asked}; {lacking}.",
            "Ask for less in `resources`, start a worker that has it, or submit it with `wait_for_worker` "
            "(`phylon submit --wait-for-worker`) to queue it until there is one.",
        )


def ask_of(spec: ExperimentSpec) -> Ask:
    """With `memory: auto` the forecast of the largest block of members, which without several hosts are all; only
    `sharded` surely spreads it over its devices."""
    resources = spec.resources
    memory, host_memory = resources.memory, None
    if memory == "auto":
        at_once = members_at_once(spec, CARD_PROCESSES, is_cpu=False)
        forecast = population_memory(spec).of(members_each(spec), at_once)
        parts = resources.devices if spec.execution.strategy == "sharded" else 1
        memory, host_memory = -(-forecast.device // parts), forecast.host
    ask = Ask(resources.devices, resources.device, memory, host_memory, resources.labels, (_needs(spec),), None)
    return ask._replace(hosts=resources.hosts, fewest_hosts=resources.fewest_hosts if resources.hosts > 1 else 1)


def ask_of_study(spec: RuntimeStudySpec, worker_id: int | None) -> Ask:
    """What is updated is made up, not played, so nothing needs to be installed."""
    return _plain_ask(spec.resources, (), worker_id)


def ask_of_evaluation(resources: ResourcesSpec, specs: Iterable[ExperimentSpec]) -> Ask:
    """`specs`: of the policies, in the environments where they play. A policy and its episodes take little memory, so
    none is forecast."""
    if resources.hosts > 1:
        raise Invalid("An evaluation plays on one host.", "Leave `resources.hosts` out.")
    return _plain_ask(resources, tuple(dict.fromkeys(map(_needs, specs))), None)


def ask_of_environment(environment: EnvironmentSpec, worker_id: int | None) -> Ask:
    """To try it, on one device of any kind."""
    own = environment.id if environment.module else None
    return _plain_ask(ResourcesSpec(), (Needs(environment.suite, None, None, own),), worker_id)


def _plain_ask(resources: ResourcesSpec, needs: tuple[Needs, ...], worker_id: int | None) -> Ask:
    memory = None if resources.memory == "auto" else resources.memory
    return Ask(resources.devices, resources.device, memory, None, resources.labels, needs, worker_id)


def _needs(spec: ExperimentSpec) -> Needs:
    own = spec.environment.id if spec.environment.module else None
    return Needs(spec.environment.suite, spec.algorithm.name, spec.population.method.name, own)


def refuse_impossible(session: Session, asks: Iterable[Ask]) -> None:
    """Before there is any worker nothing is refused: the first one may be about to come."""
    workers = repository.known_workers(session, clock.now() - KNOWN)
    offers = {worker.id: host_offer(worker) for worker in workers}
    if not offers:
        return
    for ask in dict.fromkeys(asks):
        candidates = [offer for id, offer in offers.items() if ask.worker_id in (None, id)]
        fitting = [offer for offer in candidates if find_lacking(ask, offer) is None]
        if candidates and not fitting:
            raise NoWorkerFits(describe(ask), _explain(ask, candidates))
        if candidates and ask.hosts > sum(most_ranks(offer, ask.devices) for offer in fitting):
            raise NoWorkerFits(describe(ask), f"only {len(fitting)} of the known workers could take part")


def _explain(ask: Ask, offers: list[Offer]) -> str:
    """By the offer that comes nearest: the one that lacks what is checked last."""
    without_parts = ask._replace(needs=())
    if any(find_lacking(without_parts, offer) is None for offer in offers):
        lacking = next(filter(None, (find_lacking(ask, offer) for offer in offers)))
        return f"no known worker has {lacking}"
    fitting = [offer for offer in offers if ask.device in ("any", offer.device)]
    if not fitting:
        return f"no known worker has a {ask.device.upper()}"
    labelled = [offer for offer in fitting if set(ask.labels) <= set(offer.labels)]
    largest = max(labelled or fitting, key=lambda offer: (offer.slots * offer.memory, offer.slots))
    words = f"the largest known worker{'' if labelled else ', without the label,'} has {largest.slots} of"
    if largest.device == "gpu" and largest.host_memory is not None:
        return f"{words} {gigabytes(largest.memory)} usable, {gigabytes(largest.host_memory)} of host memory for each"
    return f"{words} {gigabytes(largest.memory)} usable"
