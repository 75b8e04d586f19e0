"""The forecast of memory agrees with what the engine makes: to the byte, but where it calls itself an estimate."""

from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from phylon.contract.events import Failed
from phylon.forecast.memory import (
    NUMBER_BYTES,
    batch_bytes,
    call_bytes,
    learner_of,
    population_memory,
    replay_bytes,
    state_bytes,
)
from phylon.registry import algorithms
from phylon.spec import hyperparameters, parse_spec
from phylon.spec.experiment import ExecutionSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.core.types import Algorithm, EnvironmentInfo
from phylon.worker.environments import describe
from phylon.worker.execution import auto, build_execution
from phylon.worker.execution.auto import Chosen
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.execution.members import member_updates
from phylon.worker.replay import make_replay
from phylon.worker.replay.device_ring import empty_rings
from phylon.worker.training import assembly
from phylon.worker.training.experience import make_experience

from .learners import learners

CHEETAH = {"suite": "gymnasium", "id": "HalfCheetah-v5"}
PIXELS = {"suite": "probe", "id": "ActionRewardImage-v0", "envs_per_member": 2}
CNN = {"kind": "cnn", "channels": [4, 6], "kernels": [3, 2], "strides": [2, 1], "hidden": [8]}

SPECS = {
    **learners(),
    "td3, as it is": (CHEETAH, {"name": "td3"}),
    "sac, normalised observations": (CHEETAH, {"name": "sac", "observations": {"normalise": True}}),
    "ppo, normalised observations": (
        CHEETAH,
        {"name": "ppo", "rollout_steps": 64, "minibatches": 4, "observations": {"normalise": True}},
    ),
    "td3, three steps": (CHEETAH, {"name": "td3", "n_step": 3}),
    "td3, normalised first": (
        CHEETAH,
        {"name": "td3", "critics": 3, "network": {"hidden": [32, 16], "layer_norm": "first"}},
    ),
    "ddpg, normalised": (CHEETAH, {"name": "ddpg", "network": {"layer_norm": "all"}}),
    "sac, fixed temperature": (CHEETAH, {"name": "sac", "temperature": "fixed", "critics": 1}),
    "dqn of images": (PIXELS, {"name": "dqn", "network": CNN}),
    "dqn, dueling": (PIXELS, {"name": "dqn", "dueling": True, "network": {"kind": "impala", "channels": [3, 5]}}),
    "dqn of vectors": (
        {"suite": "probe", "id": "ActionRewardDiscrete-v0"},
        {"name": "dqn", "network": {"hidden": [64]}},
    ),
    "ppo of two environments": (
        CHEETAH | {"envs_per_member": 2},
        {"name": "ppo", "rollout_steps": 32, "minibatches": 4},
    ),
    "ppo, shared torso": (
        PIXELS,
        {"name": "ppo", "rollout_steps": 8, "minibatches": 4, "torsos": "shared", "network": CNN},
    ),
    "drac, separate torsos": (
        PIXELS,
        {"name": "drac", "rollout_steps": 8, "minibatches": 4, "network": {"kind": "impala"}, "torsos": "separate"},
    ),
}


def spec_of(environment, algorithm, method=None, **rest):
    steps = 256_000  # whole segments of all of them
    return parse_spec(
        {
            "version": 1,
            "name": "sized",
            "kind": "training",
            "environment": environment,
            "algorithm": algorithm,
            "population": {"size": 4, "method": method or {"name": "independent"}},
            "budget": {"env_steps": steps},
            **{part: {"interval": steps} for part in ("evaluation", "metrics", "checkpoint")},
            **rest,
        }
    )


class Made(NamedTuple):
    """What the engine makes of a spec, in shapes; nothing is computed."""

    info: EnvironmentInfo
    algorithm: Algorithm
    hyperparams: Any
    members: Any


def made_of(spec) -> Made:
    info = describe(spec.environment.suite, spec.environment.id)._replace(
        envs_per_member=spec.environment.envs_per_member
    )
    algorithm = build_algorithm(spec.algorithm, info)
    hyperparams = {name: jax.ShapeDtypeStruct((4,), np.float32) for name in hyperparameters(spec.algorithm)}
    members = jax.eval_shape(jax.vmap(algorithm.init), keys(), hyperparams)
    return Made(info, algorithm, hyperparams, members)


def keys():
    return jax.eval_shape(lambda: jax.random.split(jax.random.key(0), 4))


def bytes_of(tree) -> int:
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


@pytest.mark.parametrize("kind", SPECS)
def test_states_and_batches_are_as_large_as_forecast(kind):
    spec = spec_of(*SPECS[kind])
    made = made_of(spec)
    assert 4 * state_bytes(spec) == bytes_of(made.members)
    assert 4 * batch_bytes(spec) == bytes_of(make_experience(spec, made.info, seed=0, learners=4).example())


def test_a_replay_of_several_steps_is_as_large_as_forecast():
    spec = spec_of(CHEETAH, {"name": "td3", "n_step": 5}, replay={"capacity": 1000})
    assert make_replay(4, 1000, made_of(spec).info, 5).nbytes == replay_bytes(spec)


PENDULUM = {"suite": "gymnax", "id": "Pendulum-v1"}


@pytest.mark.parametrize("n_step", [1, 3])
def test_a_replay_on_the_device_takes_its_memory(n_step):
    algorithm, ratio = {"name": "td3", "n_step": n_step}, {"ratio": 64, "capacity": 1000}
    device, host, auto = (
        population_memory(spec_of(PENDULUM, algorithm, replay=ratio | {"placement": where}))
        for where in ("device", "host", "auto")
    )
    assert auto == host
    info = made_of(spec_of(PENDULUM, algorithm)).info
    rings = empty_rings(4, 1000, info, n_step, jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    assert 4 * device.ring == bytes_of(rings)
    assert (device.of(4).host, host.of(4).host) == (0, 4 * (host.ring + host.batches))
    one_call_less = host.batches - device.batches
    assert one_call_less == host.batches // 2, "nothing has to be handed over beside"
    assert device.of(4).device - host.of(4).device == 4 * (device.ring - one_call_less)
    assert (device.kept, host.kept) == (
        (device.state + device.ring, 0),
        (host.state, host.ring + host.batches),
    )


def test_copied_replays_are_there_twice():
    pbt = {"name": "pbt", "interval": 256_000, "copying": {"replay": True}}
    replay = {"placement": "device", "capacity": 100_000}
    algorithm = {"name": "td3", "discount": {"uniform": [0.9, 0.99]}}
    memory = population_memory(spec_of(PENDULUM, algorithm, pbt, replay=replay))
    assert memory.of(4).device == 8 * (memory.state + memory.ring)


def test_of_many_batches_there_are_those_of_two_calls():
    few, many = (spec_of(CHEETAH, {"name": "sac", "batch_size": 64}, replay={"ratio": ratio}) for ratio in (1, 64))
    made = made_of(many)
    example = make_experience(many, made.info, seed=0, learners=4).example()
    assert example.reward.shape == (4, 32, 64)
    assert 4 * call_bytes(many) == bytes_of(example) == 2 * batch_bytes(many)
    assert call_bytes(few) == batch_bytes(few)


@pytest.mark.parametrize("algorithm", [name for name, found in algorithms().items() if found.shared_critic])
def test_a_shared_critic_is_there_once(algorithm):
    spec = spec_of(CHEETAH, {"name": algorithm}, {"name": "cem_rl", "interval": 256_000}, replay={"sharing": "shared"})
    made, learner, memory = made_of(spec), learner_of(spec), population_memory(spec)
    joint = build_joint_algorithm(spec, made.info)
    assert joint is not None
    population = jax.eval_shape(joint.init, keys(), made.hyperparams)
    own, critic = NUMBER_BYTES * learner.own_state, NUMBER_BYTES * learner.critic_state
    assert 4 * own == bytes_of(population.members)
    assert critic == bytes_of(population.shared)
    assert memory.fixed == (critic, replay_bytes(spec))
    assert (memory.state, memory.ring) == (own, 0)
    assert memory.batches == batch_bytes(spec) // 2, "half of the population is trained by gradients"


def test_a_population_takes_states_batches_and_a_gradient_step():
    """TD3 of 3 observations and 1 action with one hidden layer of 2, by hand."""
    environment = {"suite": "gymnasium", "id": "Pendulum-v1"}
    algorithm = {"name": "td3", "batch_size": 10, "critics": 1, "network": {"hidden": [2]}}
    spec = spec_of(environment, algorithm, replay={"capacity": 30_000, "warmup": 0})
    policy, critic = (3 + 1) * 2 + (2 + 1) * 1, (4 + 1) * 2 + (2 + 1) * 1
    state = 4 * (4 * (policy + critic) + 4)
    transition = 4 * (3 + 1 + 1 + 1 + 3)
    batches = 50 * 10 * transition
    gradients, activations = 4 * (policy + critic + (policy + critic) // 4), 4 * 10 * 2 * (2 + 2 + 1)
    memory = population_memory(spec)
    assert memory.of(7).device == 7 * (state + 2 * batches + gradients + activations)
    assert memory.of(7, at_once=2).device == 7 * (state + batches) + 2 * (batches + gradients + activations)
    assert memory.of(7).host == 7 * (batches + 30_000 * transition)
    wide = memory._replace(state=10**9)
    assert wide.of(7).device == 14 * 10**9, "at a selection the old states are still there"


def test_a_compiled_program_needs_what_was_forecast_within_a_tenth():
    spec = spec_of(*SPECS["td3, as it is"])
    made = made_of(spec)
    example = make_experience(spec, made.info, seed=0, learners=4).example()
    program = jax.jit(
        jax.vmap(member_updates(made.algorithm)), donate_argnums=0, compiler_options=fast_compile_options()
    )
    lowered = program.lower(made.members, made.hyperparams, example, keys(), np.zeros(4, np.uint32))
    needs: Any = lowered.compile().memory_analysis()
    device = population_memory(spec).of(4).device
    assert device == pytest.approx(needs.argument_size_in_bytes + needs.temp_size_in_bytes, rel=0.1)


class TestADeviceThatRunsOutOfMemory:
    """One that fails as a GPU does stands in for it."""

    @pytest.fixture
    def says(self, monkeypatch):
        def say(words):
            def update(*arguments):
                raise jax.errors.JaxRuntimeError(words)

            def build(*given):
                return build_execution(*given)._replace(update=update)

            monkeypatch.setattr(auto, "build_execution", build)

        return say

    def test_is_reported_with_the_forecast_beside_it(self, says, small_spec, train_here):
        says("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4.2GiB.\nBuffers: ...")
        small_spec["execution"]["strategy"] = "vectorized"
        *_, last = train_here(small_spec)
        assert isinstance(last, Failed)
        spec = parse_spec(small_spec)
        forecast = population_memory(spec).of(spec.population.size).device
        assert last.message == (
            "cpu memory ran out: Out of memory while trying to allocate 4.2GiB. 4 members were forecast to need "
            f"{forecast / 1e9:.3g} GB of it, environments and libraries not counted"
        )
        assert "execution.chunk to 2" in last.remedy

    def test_no_other_failure_of_a_device_is_taken_for_it(self, says, small_spec, train_here):
        says("INTERNAL: a kernel crashed")
        with pytest.raises(jax.errors.JaxRuntimeError, match="kernel"):
            train_here(small_spec)

    def test_a_resumed_run_keeps_the_chunk_that_it_began_with(self, monkeypatch, small_spec, train_here):
        asked: list[int | None] = []

        def build(name, work, settings=ExecutionSpec()):  # noqa: B008  frozen
            asked.append(settings.chunk)
            return build_execution(name, work, settings)

        monkeypatch.setattr(assembly, "choose", lambda _, work, *rest: Chosen(build("vectorized", work), "tried", 2))
        monkeypatch.setattr(assembly, "build_execution", build)
        for steps in (60, 120):
            train_here(small_spec | {"budget": {"env_steps": steps}})
        assert asked == [None, 2]
