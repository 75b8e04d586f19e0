"""Which inputs the outputs of a traced program depend on, through every kind of equation that holds a program."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.interpreters import partial_eval
from jax.sharding import Mesh, PartitionSpec

from phylon.worker.execution.dependence import find_dependence


def scanned(used, unused, outer):
    """The first carry takes three rounds to hear of `used`; `unused` goes round in a circle of its own."""

    def step(carry, _):
        first, second, third, alone = carry
        return (first + second, third, outer, alone * unused), alone

    return jax.lax.scan(step, (0.0, 0.0, used, unused), None, length=5)[0][0]


def counted(used, unused, outer):
    """How often the body runs depends on `outer`."""

    def body(carry):
        number, value, alone = carry
        return number + 1, value + used, alone + unused

    return jax.lax.while_loop(lambda carry: carry[0] < outer, body, (0.0, 0.0, 0.0))[1]


def branched(used, unused, outer):
    return jax.lax.cond(outer > 0, lambda: (used, unused), lambda: (2 * used, unused))[0]


@jax.jit
def called(used, unused, outer):
    return used + outer, unused


@jax.custom_jvp
def own_derivative(used, unused, outer):
    return used * outer, unused


own_derivative.defjvp(lambda primals, tangents: (own_derivative(*primals), own_derivative(*tangents)))


@jax.custom_vjp
def own_pullback(used, unused, outer):
    return used * outer, unused


own_pullback.defvjp(lambda *inputs: (own_pullback(*inputs), None), lambda _, out: (out[0], out[1], out[0]))


def sharded(used, unused, outer):
    mesh = Mesh(np.array(jax.devices()[:1]), ("device",))
    split = functools.partial(jax.shard_map, mesh=mesh, in_specs=PartitionSpec(), out_specs=PartitionSpec())
    return split(lambda used, unused, outer: (used + outer, unused))(used, unused, outer)[0]


PROGRAMS = {
    "plain": lambda used, unused, outer: used + outer,
    "scan": scanned,
    "while": counted,
    "cond": branched,
    "jit": lambda *inputs: called(*inputs)[0],
    "checkpoint": lambda *inputs: jax.checkpoint(called)(*inputs)[0],
    "custom_jvp": lambda *inputs: own_derivative(*inputs)[0],
    "custom_vjp": lambda *inputs: own_pullback(*inputs)[0],
    "gradient": lambda *inputs: jax.grad(lambda used: own_derivative(used, *inputs[1:])[0] ** 2)(inputs[0]),
    "shards": sharded,
    "scan of jit of cond": lambda used, unused, outer: jax.lax.scan(
        lambda carry, _: (carry + jax.jit(branched)(used, unused, outer), unused), 0.0, None, length=2
    )[0],
}


def depends(function, *inputs, outputs=None):
    program = jax.make_jaxpr(function)(*inputs).jaxpr
    return find_dependence(program, outputs or [True] * len(program.outvars))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_no_output_needs_is_not_read(name):
    assert depends(PROGRAMS[name], 1.0, 2.0, 3.0) == [True, False, True]


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"while", "custom_jvp", "custom_vjp", "gradient"}))
def test_jax_itself_would_keep_the_same_inputs(name):
    """Its own elimination of dead code, which takes no part out of a `while` or of a function with own derivatives."""
    program = jax.make_jaxpr(PROGRAMS[name])(1.0, 2.0, 3.0).jaxpr
    _, kept = partial_eval.dce_jaxpr(program, [True])
    assert find_dependence(program, [True]) == list(kept)


def test_only_chosen_outputs_count():
    assert depends(lambda a, b: (a, b, a + b), 1.0, 2.0, outputs=[True, False, False]) == [True, False]
    assert depends(lambda a, b: (a, b, a + b), 1.0, 2.0, outputs=[False, False, True]) == [True, True]
    assert depends(lambda a, b: (a, b), 1.0, 2.0, outputs=[False, False]) == [False, False]


def test_what_is_not_understood_reads_everything():
    def looked_up(a, b):
        return jax.pure_callback(lambda a, b: a, jax.ShapeDtypeStruct((), jnp.float32), a, b)

    assert depends(looked_up, 1.0, 2.0) == [True, True]


def test_a_constant_output():
    assert depends(lambda a: jnp.float32(3.0), 1.0) == [False]
