"""Checkpoint files: plain arrays that come back bit for bit, or a clear refusal."""

import hashlib
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from phylon.run_directory import CheckpointRecord, checkpoints_dir
from phylon.worker.training.checkpoint import CheckpointDoesNotFit, flatten, read_arrays, unflatten, write_arrays


class State(NamedTuple):
    policy: Any
    steps: Any


@pytest.fixture
def tree():
    return State(
        policy={"params": {"kernel": np.array([[-0.0, np.nan], [1e-42, np.inf]], np.float32)}},
        steps=np.array([3, 4], np.int32),
    )


@pytest.fixture
def run_dir(tmp_path):
    checkpoints_dir(tmp_path).mkdir()
    return tmp_path


def record_of(written, number=7):
    return CheckpointRecord(number=number, step=0, next_seq=0, **written._asdict())


def shapes_of(tree):
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)


def test_names_say_what_the_arrays_are(tree):
    assert list(flatten("population", tree)) == ["population/policy/params/kernel", "population/steps"]


def test_every_bit_comes_back(run_dir, tree):
    written = write_arrays(run_dir, 7, flatten("population", tree))
    back = unflatten("population", shapes_of(tree), read_arrays(run_dir, record_of(written)))
    assert isinstance(back, State)
    jax.tree.map(lambda new, old: np.testing.assert_array_equal(new.view(np.uint32), old.view(np.uint32)), back, tree)


def test_says_the_hash_and_length_of_the_file(run_dir, tree):
    written = write_arrays(run_dir, 7, flatten("population", tree))
    content = (checkpoints_dir(run_dir) / "000007.npz").read_bytes()
    assert written == ("000007.npz", len(content), hashlib.sha256(content).hexdigest())
    assert [path.name for path in checkpoints_dir(run_dir).iterdir()] == ["000007.npz"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda tree: tree._replace(steps=np.zeros(3, np.int32)), r"'population/steps' has shape \(2,\)"),
        (lambda tree: tree._replace(steps=np.zeros(2, np.float32)), "type int32"),
        (lambda tree: tree._replace(policy={"other": np.zeros(2)}), "'population/policy/other' is missing"),
    ],
)
def test_refuses_arrays_of_another_spec(tree, change, complaint):
    with pytest.raises(CheckpointDoesNotFit, match=complaint):
        unflatten("population", shapes_of(change(tree)), flatten("population", tree))


def test_objects_are_neither_written_nor_read(run_dir):
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        write_arrays(run_dir, 7, {"code": np.array([print], object)})
    path = checkpoints_dir(run_dir) / "000007.npz"
    np.savez(path, code=np.array([{}], object))
    with pytest.raises(CheckpointDoesNotFit, match="cannot be read"):
        read_arrays(run_dir, CheckpointRecord(number=7, step=0, next_seq=0, sha256="", bytes=0, file=path.name))
