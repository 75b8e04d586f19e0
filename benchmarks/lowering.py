"""Flops and bytes of every algorithm's programs, by XLA's own count, with networks and batches as they are by default.

`python -m benchmarks.lowering` writes docs/benchmarks/lowering.md. Nothing is run, so nothing is timed.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.report import DOCS, processor_name, table

MEMBERS = 8
ENVIRONMENTS = [("gymnasium", "HalfCheetah-v5"), ("envpool", "Pong-v5"), ("envpool", "BigfishEasy-v0")]
"""The first that an algorithm takes; some have a home of their own."""
SHOWN = ("update, vectorized", "explore", "gather", "evolve")
MEGA = 1e6

TEXT = """# What programs are made of

Flops and bytes of the programs of every algorithm, and what is known about them on GPUs without having one.

{members} members, networks and batches as they are by default, members as one batch, PBT. Counted by XLA in the
program that it compiled for a CPU: on a GPU it fuses otherwise, and fewer bytes leave a kernel. XLA counts the body
of a loop once: *update* is one gradient update of every member (for PPO and DrAC one pass over a minibatch), with
what comes before and after it. By hand, TD3's update is 4,022 Mflop (`benchmarks/runtime_flops.py`). *explore* of
images is one member's: on a CPU they act in turns. Temporary memory is what the program needs beside its arguments and
results. Nothing was run.

`python -m benchmarks.lowering`, {machine}.

{table}

## What tests prove of GPUs

`tests/worker/lowering` lowers all programs of a run for CUDA (`jax.export`, tiny networks): of every installed
algorithm, each in the form of every strategy, with multilayer perceptrons, convolutions and IMPALA's network, CEM-RL
and DvD with their shared critics, plans of all methods, collecting and evaluating in gymnax; on one card and on two,
which divide the members or do not.

Proven: each operation has a form for CUDA; custom calls are CUDA's own (cuSOLVER's, where weights start
orthogonal), none is LAPACK's; nothing calls the host; the population's memory is that of the
result, leaf by leaf; no array has 64 bits, but for JAX's own counters of random words; devices exchange nothing in
an update with even shares, and otherwise once, at the end of a call, outside of its loops; what is special on a CPU
is left out.

Not proven: that a GPU's compiler takes the program, that it fits into memory, how fast it is, its last bits, and
NCCL's exchange. No GPU was at hand. Left out: collecting in MJX, Playground and Brax, which takes long to trace.
"""


def main() -> None:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from phylon.registry import algorithms

    rows = [row for name in algorithms() for row in rows_of(name)]
    header = ["algorithm", "environment", "program", "Mflop", "MB read and written", "MB temporary"]
    text = TEXT.format(members=MEMBERS, machine=f"JAX {_jax_version()}, {processor_name()}", table=table(header, rows))
    (DOCS / "lowering.md").write_text(text)


def rows_of(algorithm: str) -> Iterator[list[str]]:
    from phylon.worker.execution.compilation import fast_compile_options
    from phylon.worker.training.assembly import assemble
    from phylon.worker.training.programs import list_programs

    spec = spec_of(algorithm)
    with tempfile.TemporaryDirectory() as folder:
        parts = assemble(spec, 0, Path(folder), Path(folder))
    try:
        for program in list_programs(parts):
            if program.name in SHOWN:
                compiled = program.function.lower(*program.arguments).compile(fast_compile_options())  # only counted
                costs, memory = compiled.cost_analysis(), compiled.memory_analysis()
                numbers = costs.get("flops", 0), costs.get("bytes accessed", 0), memory.temp_size_in_bytes
                shown = [f"{number / MEGA:,.2f}" for number in numbers]
                yield [algorithm, spec.environment.id, program.name.removesuffix(", vectorized"), *shown]
                print(algorithm, program.name, *shown, flush=True)
    finally:
        parts.close()


def spec_of(algorithm: str) -> Any:
    from phylon.registry import algorithms
    from phylon.spec import SpecInvalid, parse_spec

    home = algorithms()[algorithm].home
    for suite, id in [home] if home else ENVIRONMENTS:
        document: dict[str, Any] = {
            "environment": {"suite": suite, "id": id},
            "algorithm": algorithm,
            "population": {"size": MEMBERS, "method": "pbt"},
            "execution": {"strategy": "vectorized"},
            "budget": 1_000_000,
        }
        if algorithms()[algorithm].experience == "replay":
            document["replay"] = {"capacity": 20_000}  # no program depends on it
        try:
            return parse_spec(document)
        except SpecInvalid:
            continue
    raise SystemExit(f"no environment of {ENVIRONMENTS} is one for {algorithm}: add one")


def _jax_version() -> str:
    import jax

    return jax.__version__


if __name__ == "__main__":
    main()
