"""Trees of arrays in memory that processes share. An array is never written to while something refers to it.

A tree lies in one block, in a layout that follows from its shapes. A block is reused once nothing refers to an array in
it: no loop, no checkpoint that is being written, no JAX array that is a view of it, as those of a CPU may be. Blocks
are anonymous: the memory is freed with the last process that has it mapped, however that process ends.
"""

import itertools
import math
import mmap
import os
import threading
import weakref
from collections import deque
from collections.abc import Hashable
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64
"""Bytes; what XLA needs to read an array in place."""


class Block(NamedTuple):
    """What another process needs to map a block, besides its file descriptor."""

    number: int
    bytes: int
    shapes: Any
    """The tree that lies in it, of `jax.ShapeDtypeStruct`."""


class Placed(NamedTuple):
    block: Block
    tree: Any


class Mapped(NamedTuple):
    block: Block
    memory: mmap.mmap
    file: int
    """The descriptor by which another process maps it."""


class SharedMemory:
    """The blocks of one owner. One thread may place a tree while another uses trees placed before."""

    def __init__(self) -> None:
        self.mapped: list[Mapped] = []
        """By number."""
        self._creating = threading.Lock()
        self._free: dict[Hashable, deque[Mapped]] = {}
        self._at: dict[int, Block] = {}

    def place(self, tree: Any) -> Placed:
        """The same arrays in shared memory, read-only; those that lie there already are not copied."""
        if block := self._block_of(tree):
            return Placed(block, tree)
        host = jax.tree.map(np.asarray, jax.device_get(tree))
        reserved = self.reserve(host)
        jax.tree.map(np.copyto, reserved.tree, host)
        return Placed(reserved.block, read_only(reserved.tree))

    def reserve(self, like: Any) -> Placed:
        """Writable arrays of these shapes that nothing else uses; their content is undefined."""
        free = self._free.setdefault(_layout(like), deque())
        try:
            mapped = free.pop()
        except IndexError:
            mapped = self._create(like)
        tree = tree_in(mapped.memory, mapped.block)
        root = jax.tree.leaves(tree)[0].base  # all arrays of the tree are views of this one, and keep it alive
        weakref.finalize(root, free.append, mapped).atexit = False
        return Placed(mapped.block, tree)

    def close(self) -> None:
        """Nothing more can be placed; arrays still referred to remain readable."""
        for mapped in self.mapped:
            os.close(mapped.file)
        self.mapped.clear()
        self._free.clear()
        self._at.clear()

    def _block_of(self, tree: Any) -> Block | None:
        """The block that holds exactly this tree, if any."""
        leaves = jax.tree.leaves(tree)
        if not all(isinstance(leaf, np.ndarray) and leaf.flags.c_contiguous for leaf in leaves):
            return None
        addresses = [_address(leaf) for leaf in leaves]
        block = self._at.get(addresses[0])
        if block is None or _layout(tree) != _layout(block.shapes):
            return None
        return block if addresses == [addresses[0] + offset for offset in _offsets(block.shapes)[:-1]] else None

    def _create(self, like: Any) -> Mapped:
        shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), like)
        with self._creating:
            block = Block(len(self.mapped), max(1, _offsets(shapes)[-1]), shapes)
            file = os.memfd_create(f"phylon-{block.number}")
            os.ftruncate(file, block.bytes)
            mapped = Mapped(block, mmap.mmap(file, block.bytes), file)
            self._at[_address(np.frombuffer(mapped.memory, np.uint8))] = block
            self.mapped.append(mapped)
        return mapped


def read_only(tree: Any) -> Any:
    for leaf in jax.tree.leaves(tree):
        leaf.flags.writeable = False
    return tree


def tree_in(memory: mmap.mmap, block: Block) -> Any:
    root = np.frombuffer(memory, np.uint8)
    leaves, structure = jax.tree.flatten(block.shapes)
    starts = _offsets(block.shapes)
    return structure.unflatten(
        root[start : start + _bytes(leaf)].view(leaf.dtype).reshape(leaf.shape)
        for start, leaf in zip(starts, leaves, strict=False)
    )


def _offsets(shapes: Any) -> list[int]:
    """Where each leaf begins, and where the last one ends."""
    sizes = (-(-_bytes(leaf) // ALIGNMENT) * ALIGNMENT for leaf in jax.tree.leaves(shapes))
    return list(itertools.accumulate(sizes, initial=0))


def _bytes(leaf: Any) -> int:
    return math.prod(leaf.shape) * np.dtype(leaf.dtype).itemsize


def _layout(tree: Any) -> Hashable:
    leaves, structure = jax.tree.flatten(tree)
    return structure, tuple((leaf.shape, np.dtype(leaf.dtype)) for leaf in leaves)


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]
