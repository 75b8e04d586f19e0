"""What a program becomes when it is lowered for CUDA: everything that matters on a GPU and shows without one."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
from jax.interpreters import mlir
from jaxlib.mlir import ir

from phylon.worker.training.programs import Program

COLLECTIVES = {"all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute", "reduce_scatter"}
GPU_LIBRARIES = ("cu", "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "shape_assertion")
"""Beginnings of the names of custom calls that CUDA or the partitioner answers: cusolver, cublas, cu_threefry."""
WIDE = re.compile(r"(?:<|x)(u?i64|f64|complex<f64>)>")
COUNTERS = "iota_2x32_shape"
"""JAX counts random words in 64 bits and splits the counters in halves at once."""


class Found(NamedTuple):
    calls: set[str]
    """Names of custom calls."""
    collectives: list[str]
    in_loops: list[str]
    """Those of the collectives that run once an update, or once a step of one."""
    wide: set[str]
    """Operations on 64-bit numbers."""
    donated: set[int]
    """Which arguments share their memory with a result."""


def lower(program: Program) -> Found:
    """JAX refuses what has no form for CUDA, and custom calls that it does not know."""
    exported = jax.export.export(program.function, platforms=["cuda"])(*program.arguments)
    with mlir.make_ir_context():
        module = ir.Module.parse(exported.mlir_module())
        functions = {op.attributes["sym_name"].value: op for op in module.body.operations if is_function(op)}
        operations = list(walk(functions["main"], functions, False))
        names = [(short_name(op), op, in_loop) for op, in_loop in operations]
        return Found(
            calls={op.attributes["call_target_name"].value for name, op, _ in names if name == "custom_call"},
            collectives=[name for name, _, _ in names if name in COLLECTIVES],
            in_loops=[name for name, _, in_loop in names if name in COLLECTIVES and in_loop],
            wide={f"{name} {result.type}" for name, op, _ in names for result in op.results if is_wide(op, result)},
            donated={exported.module_kept_var_idx[place] for place in aliased(functions["main"])},
        )


def walk(op: Any, functions: dict[str, Any], in_loop: bool) -> Iterator[tuple[Any, bool]]:
    """Every operation under this one, through calls."""
    for region in op.regions:
        for block in region:
            for inner in block:
                within = in_loop or short_name(inner) == "while"
                yield inner, in_loop
                yield from walk(inner, functions, within)
                if short_name(inner) == "call":
                    yield from walk(
                        functions[ir.FlatSymbolRefAttr(inner.attributes["callee"]).value], functions, within
                    )


def short_name(op: Any) -> str:
    return op.operation.name.partition(".")[2]


def is_function(op: Any) -> bool:
    return op.operation.name == "func.func"


def is_wide(op: Any, result: Any) -> bool:
    if WIDE.search(str(result.type)) is None or COUNTERS in str(op.location):
        return False
    return not (short_name(op) == "constant" and result.type.rank == 0)  # read by the counters only


def aliased(main: Any) -> list[int]:
    if "arg_attrs" not in main.attributes:
        return []
    attributes = [ir.DictAttr(each) for each in main.attributes["arg_attrs"]]
    return [
        place for place, each in enumerate(attributes) if "tf.aliasing_output" in each or "jax.buffer_donor" in each
    ]


def complaints(program: Program, found: Found) -> list[str]:
    """What would be wrong with it on GPUs."""
    said = [f"{name} is no call of CUDA" for name in sorted(found.calls) if not name.startswith(GPU_LIBRARIES)]
    said += [f"64 bits: {operation}" for operation in sorted(found.wide)]
    said += [f"leaf {leaf} of argument {place} is copied" for place, leaf in find_copied(program, found)]
    said += [f"{name} in a loop" for name in found.in_loops]
    is_spread = program.shares is not None and program.shares.devices > 1
    hands_round = is_spread and ("gather" in program.name) == program.shares.are_even
    expected = {"all_gather"} if hands_round else set[str]()
    if set(found.collectives) != expected:
        said.append(f"devices exchange by {sorted(set(found.collectives))} instead of {sorted(expected)}")
    return said


def find_copied(program: Program, found: Found) -> Iterator[tuple[int, int]]:
    """Of what is used up: positions of arguments, and of their leaves whose memory is not used again."""
    first = 0
    for place, argument in enumerate(program.arguments):
        leaves = len(jax.tree.leaves(argument))
        if place in program.uses_up:
            yield from ((place, leaf) for leaf in range(leaves) if first + leaf not in found.donated)
        first += leaves
