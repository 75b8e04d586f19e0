"""An array in shared memory never changes while something refers to it, and its memory is reused afterwards."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.execution.shared_memory import SharedMemory

TREE = {"weights": np.arange(30, dtype=np.float32).reshape(2, 15), "count": np.array([1, 2], np.int8)}


@pytest.fixture
def memory():
    memory = SharedMemory()
    yield memory
    memory.close()


def test_holds_every_bit(memory):
    odd = np.array([-0.0, np.nan, 1e-42, -np.inf], np.float32)
    placed = memory.place({**TREE, "odd": odd, "device": jnp.ones((2, 3))}).tree
    np.testing.assert_array_equal(placed["odd"].view(np.uint32), odd.view(np.uint32))
    np.testing.assert_array_equal(placed["weights"], TREE["weights"])
    np.testing.assert_array_equal(placed["device"], np.ones((2, 3)))
    assert placed["count"].dtype == np.int8


def test_can_only_be_read(memory):
    with pytest.raises(ValueError, match="read-only"):
        memory.place(TREE).tree["weights"][0] = 0


def test_what_lies_there_is_not_copied(memory):
    first = memory.place(TREE)
    again = memory.place(dict(first.tree))
    assert again.block == first.block
    assert again.tree["weights"] is first.tree["weights"]


@pytest.mark.parametrize("change", ["two blocks", "another order", "transposed"])
def test_what_is_put_together_anew_is_copied(memory, change):
    square = {"a": np.arange(9.0).reshape(3, 3), "b": np.ones((3, 3))}
    first, other = memory.place(square), memory.place(square)
    changed = {
        "two blocks": {"a": first.tree["a"], "b": other.tree["b"]},
        "another order": {"a": first.tree["b"], "b": first.tree["a"]},
        "transposed": {"a": first.tree["a"].T, "b": first.tree["b"]},
    }[change]
    placed = memory.place(changed)
    assert placed.block not in (first.block, other.block)
    jax.tree.map(np.testing.assert_array_equal, placed.tree, changed)


def test_is_used_again_when_nobody_holds_it(memory):
    first = memory.place(TREE).block
    gc.collect()
    assert memory.reserve(TREE).block == first
    assert memory.reserve({"weights": TREE["weights"]}).block != first  # other shapes lie elsewhere


@pytest.mark.parametrize("holder", ["a view", "a JAX array"])
def test_is_not_used_while_anyone_holds_it(memory, holder):
    weights = memory.place(TREE).tree["weights"]
    held = weights[1:] if holder == "a view" else jax.device_put(weights)
    del weights
    gc.collect()
    jax.tree.map(lambda leaf: leaf.fill(77), memory.reserve(TREE).tree)
    np.testing.assert_array_equal(held, TREE["weights"][1:] if holder == "a view" else TREE["weights"])
