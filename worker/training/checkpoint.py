"""Checkpoints: one `.npz` of named arrays, nothing pickled, and a record that is written last.

names = flatten("population", population)            # {"population/policy/params/hidden_0/kernel": array, …}
population = unflatten("population", shapes, names)
"""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.checkpoint_arrays import BLOCK, CheckpointArrays
from phylon.run_directory import (
    CheckpointRecord,
    checkpoint_file,
    checkpoint_paths,
    checkpoints_dir,
    file_sha256,
    sync,
)
from phylon.worker.core.errors import EngineError

Arrays = dict[str, NDArray[Any]]


class Wanted(NamedTuple):
    """Which arrays have a row for each member, and which members these are to be of."""

    prefixes: tuple[str, ...]
    members: range


class CheckpointDoesNotFit(EngineError):
    """The arrays on disk are not those of this spec."""


class WrittenFile(NamedTuple):
    file: str
    bytes: int
    sha256: str


def write_arrays(run_dir: Path, number: int, arrays: Mapping[str, NDArray[Any]], rank: int = 0) -> WrittenFile:
    """Writes the arrays under their final name, atomically. The checkpoint exists once its record is written too."""
    path = checkpoints_dir(run_dir) / checkpoint_file(number, rank)
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
        file.flush()
        os.fsync(file.fileno())
    written = WrittenFile(path.name, temporary.stat().st_size, file_sha256(temporary))
    os.replace(temporary, path)
    sync(path.parent)
    return written


def read_arrays(run_dir: Path, record: CheckpointRecord, wanted: Wanted | None = None) -> Arrays:
    """All of it, or of single members the wanted ones."""
    try:
        with CheckpointArrays(checkpoint_paths(run_dir, record)) as file:
            return {
                name: file.rows(name, wanted.members) if wanted and name.startswith(wanted.prefixes) else file[name]
                for name in file.files
            }
    except (ValueError, zipfile.BadZipFile) as error:
        raise CheckpointDoesNotFit(
            f"checkpoint {record.file} cannot be read: {error}", "delete it and its record, and start the run again"
        ) from error


def keep_own(arrays: Arrays, wanted: Wanted, is_first: bool) -> Arrays:
    """What a process of several writes: the rows of its members and, if it is the first, what is of nobody alone."""
    own = {name: rows for name, rows in arrays.items() if name.startswith(wanted.prefixes) and rows.ndim > 0}
    if not is_first and not own:
        return {}
    block = {BLOCK: np.array([wanted.members.start, wanted.members.stop])}
    return {**(arrays if is_first else own), **block}


def flatten(prefix: str, tree: Any) -> Arrays:
    """The leaves by name. Names are the tree's own fields, so that the file can be read without our code."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(jax.device_get(tree))
    return {_name(prefix, path): np.asarray(leaf) for path, leaf in leaves}


def unflatten(prefix: str, shapes: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The tree that `flatten` flattened; `shapes` gives its structure, shapes and types."""

    def find(path: Any, expected: Any) -> NDArray[Any]:
        name = _name(prefix, path)
        found = arrays.get(name)
        if found is None or found.shape != expected.shape or found.dtype != expected.dtype:
            what = "is missing" if found is None else f"has shape {found.shape} and type {found.dtype}"
            raise CheckpointDoesNotFit(
                f"'{name}' {what} in the checkpoint; this run needs shape {expected.shape} and type {expected.dtype}",
                "use the spec and the version of Phylon that wrote it, or start a new run",
            )
        return found

    return jax.tree_util.tree_map_with_path(find, shapes)


def strip_prefix(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays of one part, by the names that the part uses."""
    start = f"{prefix}/"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def add_prefix(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def name_of(path: Any) -> str:
    """A leaf's name within its tree."""
    return jax.tree_util.keystr(path, simple=True, separator="/")


def _name(prefix: str, path: Any) -> str:
    return f"{prefix}/{name_of(path)}"
