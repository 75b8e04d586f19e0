"""What an evolution over several processes is made of: latency, bytes, and work per member.

The same counting of messages and bytes serves the fit to what was measured on one machine, and the extrapolation to
many. Only the first is a measurement.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

from phylon.worker.gang.gang import ALONE, Move
from phylon.worker.gang.transport import HEAD, SMALLEST, largest_buffer
from phylon.worker.training.moving import find_moves

Cell = Mapping[str, Any]
Transfers = Mapping[tuple[int, int], int]
"""(source, target) -> members that go from one process to the other."""
CORES = 2
ROW = 3_058_736
"""Bytes of a member that moves: 1 MB of weights, two of Adam."""
WAYS = {"collective": "collective", "pairs": "in pairs", "mpi": "by MPI"}


class Traffic(NamedTuple):
    steps: float
    """Messages one after the other."""
    busiest: float
    """Bytes that the busiest process receives and has to wait for."""
    everybody: float
    """Bytes that all receive together: what one machine's memory has to carry."""


def traffic(way: str, moves: Sequence[Move], ranks: int, row: float) -> Traffic:
    transfers = Counter((move.source, move.target) for move in moves)
    donors = Counter(source for source, _ in {(move.source, move.slot) for move in moves})
    return traffic_of(way, transfers, donors, ranks, row)


def traffic_of(way: str, transfers: Transfers, donors: Mapping[int, int], ranks: int, row: float) -> Traffic:
    """`donors`: members that leave each process, each counted once."""
    if not transfers:
        return Traffic(0, 0, 0)
    if way == "collective":
        steps, length = _buffers(max(donors.values()) * (row + HEAD), ranks)
        return Traffic(steps, (ranks - 1) * length, ranks * ranks * length)
    if way == "pairs":
        free, carried, everybody = [0] * ranks, [0.0] * ranks, 0.0
        for one, other in sorted({(min(pair), max(pair)) for pair in transfers}):  # as `exchange_in_pairs` does
            moving = max(transfers.get((one, other), 0), transfers.get((other, one), 0))
            steps, length = _buffers(moving * (row + HEAD), 2)
            free[one] = free[other] = max(free[one], free[other]) + steps
            carried[one] = carried[other] = max(carried[one], carried[other]) + length
            everybody += 4 * length  # both receive both buffers
        return Traffic(max(free), max(carried), everybody)
    coming, leaving = Counter[int](), Counter[int]()
    for (source, target), count in transfers.items():
        leaving[source] += count
        coming[target] += count
    return Traffic(2, row * max([*coming.values(), *leaving.values()]), row * sum(coming.values()))


def _buffers(length: float, ranks: int) -> tuple[int, float]:
    """How many exchanges a message takes, and the bytes of their buffers; see `share_among`."""
    steps, carried, left = 1, float(SMALLEST), length + HEAD - SMALLEST
    while left > 0:
        buffer = min(largest_buffer(ranks), max(SMALLEST, 1 << int(left - 1).bit_length()))
        steps, carried, left = steps + 1, carried + buffer, left - buffer
    return steps, carried


def plan(members: int, ranks: int) -> list[Move]:
    """Of a truncation in which the worse quarter take from the better one, who are anywhere."""
    draw = np.random.default_rng(members)
    order, count = draw.permutation(members), members // 4
    parents = np.arange(members, dtype=np.int32)
    parents[order[:count]] = draw.choice(order[-count:], count)
    return find_moves(ALONE._replace(size=ranks), parents)


class Fit(NamedTuple):
    member: float
    """Seconds of a core for one member: checksums, copies, packing."""
    growth: float
    """n members take n to the power of this as long: more memory is slower memory."""
    share: float
    """Seconds of what all say to all, for each other process."""
    latency: dict[str, float]
    """Seconds of a step, by way."""
    second: dict[str, float]
    """Bytes a second, by way, of all processes together."""

    def exchange(self, cell: Cell) -> float:
        way = cell["way"]
        if not way:
            return 0.0
        return cell["steps"] * self.latency[way] + cell["bytes"] / self.second[way]

    def evolution(self, cell: Cell) -> float:
        said = cell["shares"] * (cell["ranks"] - 1) * self.share
        return self.work(cell["members"] / min(cell["ranks"], CORES)) + said + self.exchange(cell)

    def work(self, members: float) -> float:
        """Of one core."""
        return self.member * members**self.growth


def fit(shares: Sequence[Cell], exchanges: Sequence[Cell], evolutions: Sequence[Cell]) -> Fit:
    """Least squares of the logarithms. First what is said and what moves, each measured alone; what is left of an
    evolution is the members'."""
    share = float(np.exp(np.mean([np.log(cell["seconds"] / (cell["ranks"] - 1)) for cell in shares])))
    moved: dict[str, list[float]] = {}
    for way in WAYS:
        own = [cell for cell in exchanges if cell["way"] == way]
        if own:
            sizes = np.array([[cell["steps"], cell["bytes"]] for cell in own])
            seconds = np.array([cell["seconds"] for cell in own])
            scale = np.median(seconds) / np.maximum(sizes.max(axis=0), 1.0)
            moved[way] = list(scale * _fit(lambda x, sizes=sizes, scale=scale: sizes @ (scale * np.exp(x)), seconds, 2))
    latency, second = {way: own[0] for way, own in moved.items()}, {way: 1 / own[1] for way, own in moved.items()}
    known = Fit(0.0, 1.0, share, latency, second)
    rest = np.array([known.evolution(cell) for cell in evolutions])
    here = np.array([cell["members"] / min(cell["ranks"], CORES) for cell in evolutions])
    seconds = np.array([cell["seconds"] for cell in evolutions])
    member, growth = _fit(lambda x: rest + np.exp(x[0]) * here ** np.exp(x[1]), seconds, 2)
    return known._replace(member=float(member), growth=float(growth))


def _fit(model: Callable[[Any], Any], seconds: Any, numbers: int) -> Any:
    """Positive numbers; the model takes their logarithms."""
    found = least_squares(lambda x: np.log(model(x)) - np.log(seconds), np.full(numbers, -1.0), bounds=(-25, 10))
    return np.exp(found.x)


class Network(NamedTuple):
    name: str
    second: float
    """Bytes a second into a host."""
    hop: float
    """Seconds of a message from host to host."""


class Cluster(NamedTuple):
    gpus: int
    network: Network
    members_per_gpu: int
    row: float
    """Bytes of a member that moves."""
    steps_per_second: float
    """Of a GPU, environments and learning."""
    interval: int
    """Steps of a member between two evolutions."""
    segment: int
    gpus_per_host: int = 8
    bus: float = 64e9
    """Bytes a second between a GPU and its host, each way."""

    @property
    def hosts(self) -> int:
        return -(-self.gpus // self.gpus_per_host)


def generation(cluster: Cluster, way: str, found: Fit, shares: tuple[float, float]) -> dict[str, float]:
    """Seconds by what they go into. `shares`: of a segment and of an evolution. A model, not a measurement."""
    hosts, network = cluster.hosts, cluster.network
    members = cluster.members_per_gpu * cluster.gpus
    moved = traffic(way, plan(members, hosts) if hosts > 1 else [], hosts, cluster.row)
    said = (found.share + (hosts - 1) * network.hop) if hosts > 1 else 0.0
    hops = hosts - 1 if way == "collective" else 1
    here = members / hosts
    return {
        "training": cluster.members_per_gpu * cluster.interval / cluster.steps_per_second,
        "messages at borders": shares[0] * said * cluster.interval / cluster.segment,
        "messages of the evolution": shares[1] * said + moved.steps * (found.latency[way] + hops * network.hop),
        "bytes on the network": moved.busiest / network.second,
        "copies in memory": moved.busiest / found.second[way] if hosts > 1 else 0.0,
        "members through the host": (2 * here * cluster.row / cluster.bus) if hosts > 1 else 0.0,
        "work per member": found.work(here),
    }
