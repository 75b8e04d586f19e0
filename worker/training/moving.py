"""Moves members along a plan, wherever their parents are: within this process by one gather where they live, between
processes by the gang's exchange. What moves are weights, optimisers and statistics; experience only where the method
copies it."""

import io
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.launch import block_of
from phylon.worker.gang.gang import Gang, Move
from phylon.worker.training.assembly import Parts


def move_members(parts: Parts, population: Any, parents: NDArray[np.int32]) -> Any:
    """A tree [those whose weights are here, ...] -> the one in which each slot holds what its parent held."""
    if parts.is_joint or parts.gang.size == 1:
        return parts.execution.gather(population, parents)
    leaves, structure = jax.tree.flatten(population)
    first = parts.held.start
    before: list[NDArray[Any]] = []

    def pack(slot: int) -> bytes:
        before.extend(jax.device_get(leaves) if not before else ())  # moved to the host only if somebody wants a member
        return b"".join(np.ascontiguousarray(leaf[slot - first]).tobytes() for leaf in before)

    came = parts.gang.exchange(find_moves(parts.gang, parents), pack)
    moved = parts.execution.gather(population, _within(parts.held, parents))
    if not came:
        return moved
    after = [np.array(leaf) for leaf in jax.device_get(jax.tree.leaves(moved))]
    for slot in parts.held:
        if (row := came.get(int(parents[slot]))) is not None:
            _put(after, slot - first, row)
    return parts.execution.place(jax.tree.unflatten(structure, after))


def copy_experience(parts: Parts, parents: NDArray[np.int32]) -> None:
    """Each slot's experience becomes a copy of its parent's."""
    experience, first = parts.experience, parts.held.start
    if parts.shares_experience or parts.gang.size == 1:
        experience.copy(parents)
        return

    def pack(slot: int) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **experience.read_member(slot - first))
        return buffer.getvalue()

    came = parts.gang.exchange(find_moves(parts.gang, parents), pack)
    experience.copy(_within(parts.held, parents))
    for slot in parts.held:
        if (row := came.get(int(parents[slot]))) is not None:
            with np.load(io.BytesIO(row), allow_pickle=False) as arrays:
                experience.write_member(slot - first, dict(arrays))


def find_moves(gang: Gang, parents: NDArray[np.int32]) -> list[Move]:
    """Each parent goes once to every process that has children of it and not itself."""
    blocks = [block_of(rank, gang.size, len(parents)) for rank in range(gang.size)]
    holder = {slot: rank for rank, block in enumerate(blocks) for slot in block}
    moves = {Move(int(parent), holder[int(parent)], holder[slot]) for slot, parent in enumerate(parents)}
    return sorted(move for move in moves if move.source != move.target)


def _within(held: range, parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Places [those here] of the parents that are here; a slot whose parent is elsewhere keeps its own for now."""
    own, wanted = np.arange(held.start, held.stop, dtype=np.int32), parents[held.start : held.stop]
    is_here = (wanted >= held.start) & (wanted < held.stop)
    return (np.where(is_here, wanted, own) - held.start).astype(np.int32)


def _put(leaves: list[NDArray[Any]], place: int, row: bytes) -> None:
    at = 0
    for leaf in leaves:
        end = at + leaf[place].nbytes
        leaf[place] = np.frombuffer(row[at:end], leaf.dtype).reshape(leaf.shape[1:])
        at = end
    assert at == len(row), "the member that came is not of this run's shapes"
