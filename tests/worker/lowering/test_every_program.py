"""Every program of every algorithm, method and strategy is lowered for CUDA, and looked at.

That proves that a GPU has code for each operation, that nothing waits for the host, that memory is used again, and
that devices exchange what they should. What a GPU's compiler makes of it, its speed and its last bit are not proven.
"""

from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh

from phylon.registry import algorithms, methods, suites
from phylon.spec import parse_spec
from phylon.spec.algorithms.convolutions import NetworkSpec
from phylon.worker.execution import StrategyName
from phylon.worker.execution.compilation import MEMBER_AXIS, Shares, map_shards
from phylon.worker.population import build_method
from phylon.worker.training.assembly import assemble
from phylon.worker.training.programs import KEY, Program, list_programs

from ..training.learners import CNN, IMAGES, MLP, learners
from .inspecting import complaints, lower

NETWORKS = {"mlp": MLP, "cnn": CNN, "impala": {"kind": "impala", "channels": [2], "hidden": [4]}}
EVEN, UNEVEN = 4, 3
"""Members, on two devices."""


def document(learner: tuple[dict[str, Any], dict[str, Any]], size: int = EVEN, **changes: Any) -> dict[str, Any]:
    environment, algorithm = learner
    algorithm = algorithm | changes.pop("algorithm", {})
    population = {"size": size, "method": changes.pop("method", "no_op")}
    execution = {"strategy": "vectorized" if "replay" in changes else "sharded"}
    return {
        "environment": environment,
        "algorithm": algorithm,
        "population": population,
        "budget": 1000,
        "search": "none",
        "execution": execution,
        **changes,
    }


LEARNERS = learners()
SEES_IMAGES = next(name for name, (environment, _) in LEARNERS.items() if environment["id"] == IMAGES[1])
CASES = {
    **{label: document(learner, (EVEN, UNEVEN)[place % 2]) for place, (label, learner) in enumerate(LEARNERS.items())},
    **{
        f"{SEES_IMAGES}, {kind}": document(LEARNERS[SEES_IMAGES], algorithm={"network": network})
        for kind, network in NETWORKS.items()
        if kind != "mlp" and network != LEARNERS[SEES_IMAGES][1]["network"]
    },
    **{
        f"{algorithm}, {name}": document(LEARNERS[algorithm], method=name, replay={"sharing": "shared"})
        for name, method in methods().items()
        for algorithm, description in algorithms().items()
        if method.joint is not None and method.joint.trains(description)
    },
    "normalised, with resets": document(
        LEARNERS["td3"],
        UNEVEN,
        algorithm={"observations": {"normalise": True}, "n_step": 3, "learning_rate_decay": {"shape": "cosine"}},
        resets={"interval": 500},
    ),
}
METHODS = [name for name, method in methods().items() if method.joint is None]


def parts_of(document, folder):
    parts = assemble(parse_spec(document), 0, folder, folder)
    parts.close()
    return parts


@pytest.fixture(scope="module", params=CASES)
def programs(request, tmp_path_factory):
    """Each with what was found in it."""
    listed = list_programs(parts_of(CASES[request.param], tmp_path_factory.mktemp("run")))
    return [(program, lower(program)) for program in listed]


def test_on_gpus_every_program_is_as_it_should_be(programs):
    said = {program.name: complaints(program, found) for program, found in programs}
    assert {name: problems for name, problems in said.items() if problems} == {}


def test_no_program_is_forgotten(request, programs):
    names = {program.name for program, _ in programs}
    case = CASES[request.node.callspec.params["programs"]]
    updates = {"joint"} if "replay" in case and case["replay"].get("sharing") else set(get_args(StrategyName))
    assert {name.removeprefix("update, ") for name in names if name.startswith("update")} == updates
    assert {"init", "explore", "exploit", "evolve", "gather", "copy"} <= names
    assert ("reset" in names) == ("take in" in names) == ("resets" in case)
    is_functional = suites()[case["environment"]["suite"]].is_functional
    assert ("collect" in names) == ("evaluate" in names) == is_functional
    learns_from_replay = algorithms()[case["algorithm"]["name"]].experience == "replay"
    is_on_device = is_functional and learns_from_replay and case["population"]["size"] == EVEN
    assert ("segment" in names) == is_on_device
    assert len(names) == len(programs)


def test_every_kind_of_network_is_among_them():
    union = get_args(NetworkSpec)[0]
    assert {get_args(kind.model_fields["kind"].annotation)[0] for kind in get_args(union)} == set(NETWORKS)


@pytest.fixture(scope="module")
def planning(tmp_path_factory):
    numbers = {"policy_learning_rate": {"log_uniform": [1e-4, 1e-2]}, "discount": {"uniform": [0.9, 0.99]}}
    return parts_of(document(LEARNERS["td3"], 8, algorithm=numbers), tmp_path_factory.mktemp("run"))


@pytest.mark.parametrize("name", METHODS)
def test_methods_plan_on_gpus(planning, name):
    """Without weights: those are moved by the programs above."""
    spec = planning.spec.model_dump(mode="json", exclude_none=True)
    if "schedule" in small(name):  # it prescribes numbers that nobody tunes
        spec["algorithm"] = spec["algorithm"] | {"policy_learning_rate": 1e-3, "discount": 0.9}
    elif methods()[name].choices != "refused":
        spec["algorithm"] = spec["algorithm"] | {"target_noise": {"choice": [0.1, 0.2]}}
    spec["population"]["method"] = small(name)
    spec = parse_spec(spec)
    parts = planning._replace(spec=spec, method=build_method(spec))
    listed = [program for program in list_programs(parts) if program.name in ("evolve", "renew")]
    assert listed
    assert [problem for program in listed for problem in complaints(program, lower(program))] == []


FIELDS = {"window": 16, "frequencies": [1, 2], "schedule": [{"step": 0, "values": {"discount": 0.95}}]}
"""Of methods, for those that have them."""


def small(name: str) -> dict[str, Any]:
    fields = methods()[name].spec.model_fields
    return {"name": name} | {field: value for field, value in FIELDS.items() if field in fields}


NUMBERS = jax.ShapeDtypeStruct((4, 2), jnp.float32)
MESH = AbstractMesh((2,), (MEMBER_AXIS,))


def in_turns(step):
    """A loop of two rounds."""
    return lambda numbers: jax.lax.fori_loop(0, 2, lambda _, now: step(now), numbers)


def total(numbers):
    return numbers + jax.lax.psum(numbers, MEMBER_AXIS)


def test_a_call_that_only_a_cpu_answers_is_noticed():
    call = jax.ffi.ffi_call("lapack_sgeqrf_ffi", NUMBERS)
    program = Program("decompose", jax.jit(call), (NUMBERS,))
    assert complaints(program, lower(program)) == ["lapack_sgeqrf_ffi is no call of CUDA"]


def test_a_call_of_the_host_is_refused():
    ask = jax.jit(lambda numbers: jax.pure_callback(np.asarray, NUMBERS, numbers))
    with pytest.raises(ValueError, match="lowering platform cuda"):
        lower(Program("ask", ask, (NUMBERS,)))


def test_a_copied_population_is_noticed():
    add = Program("update", jax.jit(lambda population: population + 1), (NUMBERS,), uses_up=(0,))
    assert complaints(add, lower(add)) == ["leaf 0 of argument 0 is copied"]
    in_place = add._replace(function=jax.jit(lambda population: population + 1, donate_argnums=0))
    assert complaints(in_place, lower(in_place)) == []


def test_wide_numbers_are_noticed():
    with jax.enable_x64(True):
        program = Program("widen", jax.jit(lambda numbers: numbers.astype(jnp.float64) * 2), (NUMBERS,))
        said = complaints(program, lower(program))
    assert "64 bits: convert tensor<4x2xf64>" in said


def test_an_exchange_where_there_should_be_none_is_noticed():
    shares = Shares(2, 4)
    program = Program("update", jax.jit(map_shards(MESH, in_turns(total))), (NUMBERS,), shares=shares)
    assert complaints(program, lower(program)) == [
        "all_reduce in a loop",
        "devices exchange by ['all_reduce'] instead of []",
    ]
    assert complaints(program._replace(name="gather"), lower(program))[1:] == [
        "devices exchange by ['all_reduce'] instead of ['all_gather']"
    ]


def test_random_numbers_are_no_wide_numbers():
    draw = jax.jit(lambda words: jax.random.normal(jax.random.wrap_key_data(words), (3, 5)))
    program = Program("draw", draw, (KEY,))
    assert complaints(program, lower(program)) == []
