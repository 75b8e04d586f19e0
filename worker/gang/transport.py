"""Bytes between processes, through the collective operations of JAX: gloo between CPUs, NCCL between GPUs.

Bytes travel as whole numbers, which no device rounds, and in buffers of few different lengths, since every length is
another program to compile.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from numpy.typing import NDArray

from phylon.worker.gang.gang import Move

AXIS = "processes"
SMALLEST, LARGEST = 1024, 16 * 2**20
"""Bytes of the buffer that each passes, and of all that come from them together. A message that does not fit into the
first goes on in larger ones. Larger buffers were slower (docs/benchmarks/scaling.md), presumably since each page of a
large allocation is new to the process."""
HEAD = 8
"""Bytes that say how long the message is."""

ShareFn = Callable[[bytes], list[bytes]]


def share_among(ranks: Sequence[int]) -> ShareFn:
    """What each of these processes passes, in their order; all of them call it, and nobody else."""
    all_gather, largest = _all_gather_among(tuple(ranks)), largest_buffer(len(ranks))

    def share(own: bytes) -> list[bytes]:
        head = len(own).to_bytes(HEAD, "little")
        first = all_gather(_buffer(head + own[: SMALLEST - HEAD], SMALLEST))
        lengths = [int.from_bytes(row[:HEAD].tobytes(), "little") for row in first]
        received = [[row[HEAD : HEAD + length].tobytes()] for row, length in zip(first, lengths, strict=True)]
        at, longest = SMALLEST - HEAD, max(lengths)
        while at < longest:
            size = min(largest, _power_of_two(longest - at))
            for parts, length, row in zip(
                received, lengths, all_gather(_buffer(own[at : at + size], size)), strict=True
            ):
                parts.append(row[: max(0, length - at)].tobytes())
            at += size
        return [b"".join(parts) for parts in received]

    return share


def largest_buffer(ranks: int) -> int:
    """Of each process, a power of two."""
    return max(SMALLEST, 1 << (LARGEST // ranks).bit_length() - 1)


def exchange_collectively(
    rank: int, share: ShareFn, moves: Sequence[Move], pack: Callable[[int], bytes]
) -> dict[int, bytes]:
    """Everybody receives all members that move, in one step."""
    if not moves:
        return {}
    slots = sorted({(move.source, move.slot) for move in moves})
    wanted = {move.slot for move in moves if move.target == rank}
    received = dict[int, bytes]()
    for source, content in enumerate(share(join([pack(slot) for holder, slot in slots if holder == rank]))):
        sent = [slot for holder, slot in slots if holder == source]
        received |= {slot: row for slot, row in zip(sent, split(content), strict=True) if slot in wanted}
    return received


def exchange_in_pairs(rank: int, moves: Sequence[Move], pack: Callable[[int], bytes]) -> dict[int, bytes]:
    """Only the two processes concerned take part in a transfer: in the same order everywhere, so that none waits in a
    circle."""
    received = dict[int, bytes]()
    for pair in sorted({(min(move[1:]), max(move[1:])) for move in moves}):
        if rank not in pair:
            continue
        between = sorted({move for move in moves if {move.source, move.target} == set(pair)})
        contents = _share_between(pair)(join([pack(move.slot) for move in between if move.source == rank]))
        (other,) = set(pair) - {rank}
        came = [move.slot for move in between if move.source == other]
        received |= dict(zip(came, split(contents[pair.index(other)]), strict=True))
    return received


def join(rows: Sequence[bytes]) -> bytes:
    return b"".join(len(row).to_bytes(HEAD, "little") + row for row in rows)


def split(content: bytes) -> list[bytes]:
    rows, at = list[bytes](), 0
    while at < len(content):
        end = at + HEAD + int.from_bytes(content[at : at + HEAD], "little")
        rows.append(content[at + HEAD : end])
        at = end
    return rows


@functools.cache
def _share_between(pair: tuple[int, int]) -> ShareFn:
    return share_among(pair)


def _all_gather_among(ranks: tuple[int, ...]) -> Callable[[NDArray[np.uint8]], NDArray[np.uint8]]:
    """[bytes] -> [processes, bytes]."""
    by_process = {rank: next(each for each in jax.devices() if each.process_index == rank) for rank in ranks}
    mesh = Mesh(np.array([by_process[rank] for rank in ranks]), (AXIS,))
    split_up, everywhere = PartitionSpec(AXIS), PartitionSpec()

    def run(words: Any) -> Any:
        return jax.lax.all_gather(words, AXIS, tiled=True)

    # Every process ends up with the same rows; JAX cannot see that for itself.
    program = jax.jit(jax.shard_map(run, mesh=mesh, in_specs=split_up, out_specs=everywhere, check_vma=False))

    def all_gather(own: NDArray[np.uint8]) -> NDArray[np.uint8]:
        words = own.view(np.uint32)[None]
        shape = (len(ranks), words.shape[1])
        placed = jax.make_array_from_process_local_data(NamedSharding(mesh, split_up), words, shape)
        return np.asarray(program(placed).addressable_shards[0].data).view(np.uint8)

    return all_gather


def _buffer(content: bytes, size: int) -> NDArray[np.uint8]:
    buffer = np.zeros(size, np.uint8)
    buffer[: len(content)] = np.frombuffer(content, np.uint8)
    return buffer


def _power_of_two(least: int) -> int:
    return max(SMALLEST, 1 << (least - 1).bit_length())
