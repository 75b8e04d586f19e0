"""The page of `benchmarks.scaling`: what was measured, a model of it, and what the model says of machines that were not
there."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import report
from benchmarks.scaling_model import ROW, WAYS, Cluster, Fit, Network, Traffic, fit, generation, traffic_of

GPUS = (8, 16, 32, 64, 128, 256, 512)
NETWORKS = (
    Network("InfiniBand, 400 Gb/s", 50e9, 5e-6),
    Network("10 GbE", 1.25e9, 100e-6),
)
MEMBERS, RATE, SEGMENT = 8, 100_000, 20_480
INTERVALS = {"often": 20_480, "seldom": 1_024_000}
LARGER = (ROW, 30 * 10**6, 300 * 10**6)

Cell = dict[str, Any]


def cells_of(rows: Sequence[Cell], kind: str) -> list[Cell]:
    """One for each size, number of processes and way: the median time, and the mean traffic."""
    grouped: dict[tuple[int, int, str], list[Cell]] = defaultdict(list)
    for row in rows:
        if row["kind"] == kind:
            grouped[row["members"], row["ranks"], row["way"]].append(row)
    cells: list[Cell] = []
    for (members, ranks, way), own in sorted(grouped.items()):
        moved = [_traffic(row) for row in own]
        cells.append(
            {
                **{"members": members, "ranks": ranks, "way": way, "n": len(own)},
                "seconds": statistics.median(row["seconds"] for row in own),
                "raw": sorted(row["seconds"] for row in own),
                "shares": statistics.mean(row["shares"] for row in own),
                "steps": statistics.mean(each.steps for each in moved),
                "bytes": statistics.mean(each.everybody for each in moved),
            }
        )
    return cells


def _traffic(row: Cell) -> Traffic:
    transfers = {(source, target): count for source, target, count in row["transfers"]}
    return traffic_of(row["way"], transfers, dict(row["donors"]), row["ranks"], ROW)


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.0f}" if seconds >= 0.01 else f"{1e3 * seconds:.1f}"


def measured(rows: Sequence[Cell]) -> str:
    segments, evolutions = cells_of(rows, "segment"), cells_of(rows, "evolution")
    lines: list[list[str]] = []
    for cell in segments:
        key = cell["members"], cell["ranks"]
        own = {each["way"]: each for each in evolutions if (each["members"], each["ranks"]) == key}
        times = [milliseconds(own[way]["seconds"]) if way in own else "" for way in ("", *WAYS)]
        steps = 64 * cell["members"] / cell["seconds"]
        lines.append([*map(str, key), milliseconds(cell["seconds"]), f"{steps:,.0f}", *times])
    header = ["members", "processes", "segment, ms", "steps of all a second", "evolution alone, ms"]
    return report.table([*header, *(f"evolution {name}, ms" for name in WAYS.values())], lines)


def raw(rows: Sequence[Cell]) -> str:
    lines = [
        [
            *[str(cell["members"]), str(cell["ranks"]), WAYS.get(cell["way"], cell["kind"])],
            " ".join(milliseconds(seconds) for seconds in cell["raw"]),
        ]
        for kind in ("segment", "evolution", "exchange", "share")
        for cell in ({**each, "kind": kind} for each in cells_of(rows, kind))
    ]
    return report.table(["members", "processes", "what", "ms, each, in order of length"], lines)


def beside_model(cells: Sequence[Cell], told: Callable[[Cell], float]) -> str:
    lines = [
        [
            *[str(cell["members"]), str(cell["ranks"]), WAYS.get(cell["way"], "alone")],
            *[f"{cell['steps']:.1f}", f"{cell['bytes'] / 1e6:,.0f}"],
            *[milliseconds(cell["seconds"]), milliseconds(told(cell)), f"{told(cell) / cell['seconds']:.2f}"],
        ]
        for cell in cells
    ]
    header = ["members", "processes", "way", "steps", "MB in all", "measured, ms", "model, ms", "model / measured"]
    return report.table(header, lines)


def numbers(found: Fit) -> str:
    lines = [
        ["n members, on one core (checksums, copies, packing)", f"{1e3 * found.member:.2f} ms x n^{found.growth:.2f}"],
        [
            "what all tell all (fitness, plan, checksums), each time, for each other process",
            f"{1e3 * found.share:.1f} ms",
        ],
    ]
    for way, latency in found.latency.items():
        rate = f"{found.second[way] / 1e9:.2f} GB/s"
        lines.append([f"{WAYS[way]}: a step; bytes, all processes together", f"{1e3 * latency:.1f} ms; {rate}"])
    return report.table(["what", "fitted"], lines)


def cluster(gpus: int, network: Network, interval: int, row: float = ROW) -> Cluster:
    return Cluster(gpus, network, MEMBERS, row, RATE, interval, SEGMENT)


def lost(told: dict[str, float]) -> float:
    """The share of a generation that is not training."""
    return 1 - told["training"] / sum(told.values())


def extrapolated(found: Fit, shares: tuple[float, float]) -> str:
    lines: list[list[str]] = []
    ways = list(found.latency)
    for gpus in GPUS:
        line = [str(gpus), str(cluster(gpus, NETWORKS[0], 1).hosts), f"{gpus * MEMBERS:,}"]
        for network in NETWORKS:
            for way in ways:
                shares_lost = [
                    lost(generation(cluster(gpus, network, interval), way, found, shares))
                    for interval in INTERVALS.values()
                ]
                line.append(" / ".join(f"{100 * each:.1f}" for each in shares_lost))
        lines.append(line)
    header = ["GPUs", "hosts", "members", *(f"{network.name}, {WAYS[way]}" for network in NETWORKS for way in ways)]
    return report.table(header, lines)


def limits(found: Fit, shares: tuple[float, float]) -> str:
    lines: list[list[str]] = []
    for row in LARGER:
        for network in NETWORKS:
            for way in found.latency:
                told = generation(cluster(512, network, INTERVALS["seldom"], row), way, found, shares)
                name, seconds = max(
                    ((each, told[each]) for each in told if each != "training"), key=lambda each: each[1]
                )
                lines.append(
                    [
                        *[f"{row / 1e6:,.0f} MB", network.name, WAYS[way], f"{told['training']:.0f}"],
                        *[f"{sum(told.values()) - told['training']:.2f}", f"{name}: {seconds:.2f}"],
                    ]
                )
    header = ["a member", "network", "way", "training, s", "all else, s", "the most of it, s"]
    return report.table(header, lines)


def conclusion(found: Fit, shares: tuple[float, float]) -> str:
    """In plain words, from the model's own numbers."""
    said: list[str] = []
    for row in LARGER[::2]:
        for network in NETWORKS:
            told = {
                way: generation(cluster(512, network, INTERVALS["often"], row), way, found, shares)
                for way in found.latency
            }
            best = min(told, key=lambda way: lost(told[way]))
            name = max((each for each in told[best] if each != "training"), key=lambda each: told[best][each])
            said.append(
                f"- {row / 1e6:,.0f} MB a member, {network.name}: the best way is {WAYS[best]}, which loses "
                f"{100 * lost(told[best]):.0f} %, and the most of it is: {name}."
            )
    return "\n".join(said)


LINKS = """\
| link | assumed | from |
| --- | --- | --- |
| within a host, NVLink 4 | 450 GB/s each way | 18 links of 25 GB/s each way ([petronellatech.com][1]); left out |
| GPU to host, PCIe 5 | 64 GB/s each way | 128 GB/s both ways ([ubytelink.com][2]) |
| InfiniBand | 50 GB/s, 5 µs | one ConnectX-7 of 400 Gb/s ([ubytelink.com][2]); 1 to 5 µs ([aspsys.com][3]) |
| 10 GbE | 1.25 GB/s, 100 µs | its nominal rate; 40 to 300 µs ([aspsys.com][3]) |

[1]: https://petronellatech.com/hardware/h100-h200-nvlink-cluster-scaling/
[2]: https://ubytelink.com/blog/what-is-nvidia-h100-interconnect-a-technical-deep-dive.html
[3]: http://www.aspsys.com/content/glossary/glos_low_latency

One network card a host, since one device of a process does the talking. Members cross processes through host memory.
Those that stay within a host move over NVLink, all of a host in less than a millisecond."""


def page(doc: str, rows: Sequence[Cell]) -> str:
    segments, evolutions, exchanges, shares = (
        cells_of(rows, kind) for kind in ("segment", "evolution", "exchange", "share")
    )
    found = fit(shares, exchanges, evolutions)
    said = (
        max(cell["shares"] for cell in segments),
        max(cell["shares"] for cell in evolutions),
    )
    loads = sorted(row["load"] for row in rows)
    compiling = sorted(row["compile"] for row in rows if row["kind"] == "first segment" and row["ranks"] > 1)
    often, seldom = INTERVALS.values()
    single = [cell for cell in evolutions if cell["ranks"] == 1]
    wrong = sorted(found.evolution(cell) / cell["seconds"] for cell in single)
    direct = next(cell["seconds"] for cell in single if cell["members"] == MEMBERS * 8)
    alone = generation(cluster(8, NETWORKS[0], often), "collective", found, said)
    return f"""# One population over several processes

{doc.strip()}

{report.machine()}. Medians of {evolutions[0]["n"]} turns, and of {exchanges[0]["n"]} for exchanges alone. Others
used the machine: its load was {loads[0]:.0f} to {loads[-1]:.0f}, {statistics.median(loads):.0f} in the middle, on
two cores. So times are many times longer than on an idle one, and vary; the raw numbers are at the end.

## Measured

{measured(rows)}

Two processes have two cores and four have the same two, so this is no measure of what more machines would give: it
says what it costs to be several. Before a population's first segment every process compiles, {compiling[-1]:.0f} s
here at worst; each pair of processes that moves members for the first time does so again, which MPI does not. Most
of an evolution is no exchange: checksums before and after, and copies of what each process has. By the
medians two processes take longer for it than one, at every size. Why was not found out.

A first run led to a change: its buffers were of up to 64 MB, and now all of an exchange are within 16 MB. Collectively,
64 members in four processes took 981 ms before and 95 ms after, 256 members 7,099 and 1,052 ms
(`benchmarks/results/scaling-buffers-*.jsonl`). The two were not interleaved and the machine was less busy the second
time: MPI, which did not change, took 6 and 11 ms, and 253 and 81 ms. So some of the difference is the machine's. That
new pages of large allocations cost the time is a guess, which no profile has confirmed.

## A model of it

An evolution takes its members' time, on one core c n^g for n of them, since more memory is slower memory; a time for
each time that all tell all (fitness, plan, checksums before and after: {said[1]:.0f} in an evolution, {said[0]:.0f}
in a segment); and one for what moves, a latency a step and bytes. `collective` gives everybody a buffer from everybody,
as long as the fullest one, rounded up to a power of two. `in pairs` rounds up as well, and pairs wait for each other in
their order. `by MPI` sends what is wanted. In one machine the bytes of all go through one memory, so they count
together. What all tell all and what moves were measured alone as well and fitted first, by least squares of logarithms;
what is left of an evolution is the members'.

{numbers(found)}

Exchanges alone:

{beside_model(exchanges, found.exchange)}

Evolutions:

{beside_model(evolutions, found.evolution)}

Model / measured is the fit's residual: of exchanges {_spread(exchanges, found.exchange)}, of evolutions
{_spread(evolutions, found.evolution)}. This is no good fit.
Its form was chosen after two others, with a fixed time instead of the power and with a term for large buffers, had been
looked at on the first run; no other data test it. And it is wrong in one way that is not noise: for one process it says
{wrong[0]:.1f} to {wrong[-1]:.1f} times what was measured, since it takes for granted that two cores halve the members'
time, which they did not.

## What it would mean for 8 to 512 GPUs: a model, of which nothing was measured

Assumed: hosts of 8 GPUs, one process each; {MEMBERS} members a GPU, so that a larger cluster trains a larger
population; a GPU makes {RATE:,} steps a second of all its members, learning included (a round number); segments of
{SEGMENT:,} steps; the worse quarter takes from the better one, which may be anywhere. From the fit
come the members' time, as if one core of this busy machine had all members of a host, the latency of a step, and the
time of copies in memory, for the bytes that the busiest host receives. From elsewhere:

{LINKS}

The members' time is the weakest part: for the {MEMBERS * 8} members of a host the fit says
{found.work(MEMBERS * 8):.2f} s, and one process, measured alone, took {direct:.2f} s. With that, a host that evolves
every {often:,} steps loses {100 * direct / (direct + MEMBERS * often / RATE):.0f} % instead of
{100 * lost(alone):.0f} %. Read the tables for how columns and rows differ, not for how large their common part is.

How much of a generation is not training, in percent, when members evolve every {often:,} steps / every {seldom:,}
steps, which is {MEMBERS * often / RATE:.1f} s / {MEMBERS * seldom / RATE:.0f} s of training; {ROW / 1e6:.0f} MB a
member:

{extrapolated(found, said)}

Of 512 GPUs, by the size of what moves of a member, evolving every {seldom:,} steps:

{limits(found, said)}

**What limits first**, by this model, at 512 GPUs that evolve every {often:,} steps. "Work per member" is the term
that the measurement contradicts, by a factor of up to {wrong[-1]:.0f}; that `collective` grows with the number of hosts
and MPI does not follows from counting bytes:

{conclusion(found, said)}

Not in the model: waiting for the slowest process, at every border; that NCCL sets up a communicator for each new pair;
that a faster memory copies faster; evaluations and checkpoints.

## Raw numbers

Of `benchmarks/results/scaling.jsonl`, without the seconds of compilation:

{raw(rows)}
"""


def _spread(cells: Sequence[Cell], told: Callable[[Cell], float]) -> str:
    ratios = sorted(told(cell) / cell["seconds"] for cell in cells)
    middle = [ratios[len(ratios) // 4], ratios[(3 * len(ratios)) // 4]]
    return f"{ratios[0]:.2f} to {ratios[-1]:.2f}, half of them {middle[0]:.2f} to {middle[1]:.2f}"
