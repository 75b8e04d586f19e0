"""What a job asks of a worker, what a worker offers, and what is lacking. Values that can be compared and cached."""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from phylon.backend.models import Worker
from phylon.forecast.advice import USABLE

GIGABYTE = 10**9


class Needs(NamedTuple):
    """Installed parts without which a worker cannot execute a job."""

    suite: str
    algorithm: str | None
    method: str | None
    """None where nothing is trained."""
    environment: str | None = None
    """One that only workers have whose operators allowed its module."""


class Ask(NamedTuple):
    devices: int
    device: str
    """`cpu`, `gpu` or `any`."""
    memory: int | None
    """Bytes of each device; None where nothing is forecast."""
    host_memory: int | None
    """Bytes in host memory beside that. On a processor both lie in the same memory."""
    labels: tuple[str, ...]
    needs: tuple[Needs, ...]
    """All of them: an evaluation plays policies of several runs."""
    worker_id: int | None
    """Only this worker may take it."""
    hosts: int = 1
    """Workers that execute it together; devices and memory are those of each."""
    fewest_hosts: int = 1
    """With so few it goes on where it has begun, each with a larger part of it."""
    has_begun: bool = False

    @property
    def all_devices(self) -> int:
        return self.devices * self.hosts

    @property
    def is_large(self) -> bool:
        """Room for it has to come together."""
        return self.all_devices > 1


ALONE_FIELDS = 7
"""Of the text of an ask for one worker: jobs of earlier versions have no more."""
NO_ASK = Ask(1, "any", None, None, (), (), None)
"""One device of any kind."""


class Offer(NamedTuple):
    """Of one worker; those with equal offers can take the same jobs."""

    device: str
    slots: int
    memory: int
    """Usable bytes of each slot."""
    host_memory: int | None
    """Usable bytes of the host for each slot; None for workers that do not report it."""
    labels: tuple[str, ...]
    suites: tuple[str, ...]
    algorithms: tuple[str, ...] | None
    methods: tuple[str, ...] | None
    """None for workers that registered before they reported these: they have what this version brings."""
    environments: tuple[str, ...] = ()
    """Those of allowed modules, by their ids."""
    several_ranks: bool = False
    """Whether it may be several hosts of one gang."""


def write(ask: Ask) -> str:
    """Equal asks have equal texts."""
    fields = ask._replace(labels=tuple(sorted(ask.labels)))
    return json.dumps(fields if ask.hosts > 1 else fields[:ALONE_FIELDS])


@lru_cache(maxsize=65_536)
def read(text: str) -> Ask:
    devices, device, memory, host_memory, labels, needs, worker_id, *gang = json.loads(text)
    return Ask(devices, device, memory, host_memory, tuple(labels), _read_needs(needs), worker_id, *gang)


def _read_needs(stored: list[Any] | None) -> tuple[Needs, ...]:
    """Jobs that were queued by an earlier version have one, or null."""
    if not stored:
        return ()
    return tuple(Needs(*each) for each in (stored if isinstance(stored[0], list) else [stored]))


def hosts_to_try(ask: Ask) -> Iterator[int]:
    """With how many workers it may start now, the most first."""
    return iter(range(ask.hosts, (ask.fewest_hosts if ask.has_begun else ask.hosts) - 1, -1))


@lru_cache(maxsize=65_536)
def ask_of_each(ask: Ask, hosts: int) -> Ask:
    """What each of so many workers is asked for. A forecast grows as they become fewer; a size that someone wrote does
    not."""
    alone = ask._replace(hosts=1, fewest_hosts=1, has_begun=False)
    if hosts == ask.hosts or ask.host_memory is None:
        return alone
    memory = None if ask.memory is None else -(-ask.memory * ask.hosts // hosts)
    return alone._replace(memory=memory, host_memory=-(-ask.host_memory * ask.hosts // hosts))


def most_ranks(offer: Offer, devices: int) -> int:
    """Of one gang."""
    return offer.slots // devices if offer.several_ranks else 1


def offer_of(worker: Worker) -> Offer:
    return make_offer(
        worker.device,
        worker.slots,
        worker.memory_bytes,
        worker.host_memory_bytes,
        worker.labels,
        worker.suites,
        worker.algorithms,
        worker.methods,
        [row["id"] for row in worker.environments],
        worker.several_ranks,
    )


def make_offer(
    device: str,
    slots: int,
    memory: int,
    host_memory: int | None,
    labels: Iterable[str],
    suites: Iterable[str],
    algorithms: Iterable[str] | None,
    methods: Iterable[str] | None,
    environments: Iterable[str],
    several_ranks: bool,
) -> Offer:
    """Memory is of all slots together; not all of it can be used."""
    return Offer(
        device,
        slots,
        int(USABLE * memory / slots),
        None if host_memory is None else int(USABLE * host_memory / slots),
        tuple(sorted(labels)),
        tuple(sorted(suites)),
        None if algorithms is None else tuple(sorted(algorithms)),
        None if methods is None else tuple(sorted(methods)),
        tuple(sorted(environments)),
        several_ranks,
    )


def find_lacking(ask: Ask, offer: Offer) -> str | None:
    """What is asked for and not offered, in words; None where nothing is lacking. Whose worker it is does not count."""
    missing = next(filter(None, (_find_missing(needs, offer) for needs in ask.needs)), None)
    if missing is not None:
        return missing
    if ask.device not in ("any", offer.device):
        return f"a {_NAMES[ask.device]}"
    labels = [label for label in ask.labels if label not in offer.labels]
    if labels:
        return f"the label {labels[0]}"
    if ask.devices > offer.slots:
        return f"{ask.devices} devices"
    needed = memory_of(ask, offer.device)
    if needed is not None and needed > offer.memory * (ask.devices if offer.device == "cpu" else 1):
        return f"{gigabytes(needed)} of memory"
    if offer.device == "gpu" and offer.host_memory is not None and ask.host_memory is not None:
        room = offer.host_memory * ask.devices
        if ask.host_memory > room:
            return f"{gigabytes(ask.host_memory)} of host memory"
    return None


def _find_missing(needs: Needs, offer: Offer) -> str | None:
    if needs.suite not in offer.suites:
        return f"the suite '{needs.suite}'"
    if needs.algorithm and offer.algorithms is not None and needs.algorithm not in offer.algorithms:
        return f"the algorithm '{needs.algorithm}'"
    if needs.method and offer.methods is not None and needs.method not in offer.methods:
        return f"the population method '{needs.method}'"
    if needs.environment is not None and needs.environment not in offer.environments:
        return f"the environment '{needs.environment}'"
    return None


def memory_of(ask: Ask, device: str) -> int | None:
    """Bytes that it takes of a device's memory: on a processor, of all its slots together."""
    if device == "gpu" or ask.memory is None:
        return ask.memory
    return ask.memory * ask.devices + (ask.host_memory or 0)


def describe(ask: Ask) -> str:
    """`2 GPUs of 80 GB with label a100`."""
    name = _NAMES[ask.device] + ("s" if ask.devices > 1 else "")
    words = f"{ask.devices} {name}"
    if ask.memory is not None:
        words += f" of {gigabytes(ask.memory)}"
    if ask.host_memory:
        words += f", {gigabytes(ask.host_memory)} of host memory"
    if ask.labels:
        words += f" with label{'s' if len(ask.labels) > 1 else ''} {', '.join(ask.labels)}"
    return words if ask.hosts == 1 else f"{ask.hosts} hosts, each with {words}"


def gigabytes(size: int) -> str:
    return f"{size / GIGABYTE:.3g} GB"


_NAMES = {"any": "device", "cpu": "CPU", "gpu": "GPU"}
