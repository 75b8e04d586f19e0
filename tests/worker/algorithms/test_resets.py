"""Resets renew what they name and nothing else."""

from functools import partial

import jax
import numpy as np
import pytest

from phylon.catalogue import box
from phylon.registry import algorithms
from phylon.spec import DDPGSpec, MLPSpec, SACSpec, TD3Spec
from phylon.spec.resets import ResetsSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.resets import reset, shrink_and_perturb

NETWORK = MLPSpec(hidden=(8, 8), layer_norm="all")
SPECS = {
    "td3": TD3Spec(name="td3", network=NETWORK),
    "sac": SACSpec(name="sac", network=NETWORK),
    "sac of fixed temperature": SACSpec(name="sac", network=NETWORK, temperature="fixed"),
    "ddpg": DDPGSpec(name="ddpg", network=NETWORK),
}
ONCE = {"interval": 1, "first": 1, "recovery": 0}


def key():
    """Made anew for each use: JAX is told to refuse a key that is used twice."""
    return jax.random.key(7)


@pytest.fixture(scope="module", params=SPECS)
def spec(request):
    return SPECS[request.param]


@pytest.fixture(scope="module")
def algorithm(spec, info, compiled):
    algorithm = build_algorithm(spec, info)
    return algorithm._replace(init=compiled(algorithm.init))


@pytest.fixture(scope="module")
def numbers(spec, numbers_of):
    return numbers_of(spec)


@pytest.fixture(scope="module")
def trained(algorithm, numbers, make_batch, compiled):
    """A member after some updates: no part of it is as it was."""
    state, update = algorithm.init(jax.random.key(0), numbers), compiled(algorithm.update)
    for step in range(4):
        state, _ = update(state, numbers, make_batch(step), jax.random.key(step))
    return state


@pytest.fixture(scope="module")
def fresh(algorithm, numbers):
    """The member that a reset's key gives birth to."""
    return algorithm.init(key(), numbers)


@pytest.fixture(scope="module")
def renewed(algorithm, numbers, trained):
    """(what a reset is to do, its key) -> the trained member after it."""

    def run(seed=7, **said):
        return reset(algorithm, ResetsSpec(**ONCE, **said), jax.random.key(seed), numbers, trained)

    return run


def flat(tree):
    """Weights by their path in the tree."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


IMAGE = {"observation_shape": (64, 64, 3), "observation_dtype": "uint8"}


@pytest.mark.parametrize("name", algorithms())
def test_a_description_knows_the_state_of_its_algorithm(name, info, numbers_of):
    """Every declared field is there, and the declared output layers are all that a network has beside inner ones."""
    description = algorithms()[name]
    spec = description.spec.model_validate({"name": name})
    if description.observes(spec, box(info.observation_shape, "float32")) is not None:
        info = info._replace(**IMAGE)
    info = info._replace(is_discrete="box" not in description.actions)
    state = jax.eval_shape(build_algorithm(spec, info).init, jax.random.key(0), numbers_of(spec))
    layout = description.state(spec)
    declared = {*layout.targets, *layout.targets.values(), *layout.optimisers, *layout.policy}
    declared |= {field for fields in layout.parts.values() for field in fields}
    assert declared <= set(state._fields)
    optimisers = {field for field in state._fields if "optimiser" in field and getattr(state, field) is not None}
    assert optimisers == set(layout.optimisers)
    for field in {field for part, fields in layout.networks.items() if part != "temperature" for field in fields}:
        paths, _ = jax.tree_util.tree_flatten_with_path(getattr(state, field))
        layers = {str(path[-2].key) for path, _ in paths}
        inner = {layer for layer in layers if layer.startswith(("hidden_", "norm_", "convolution_"))}
        assert layers - inner <= set(layout.output_layers) and layers - inner


def test_every_part_of_the_state_belongs_to_one_part_of_a_reset(algorithm, fresh):
    fields = [field for part in algorithm.parts.values() for field in part]
    assert len(fields) == len(set(fields))
    kept = {name for name in fresh._fields if name not in fields and jax.tree.leaves(getattr(fresh, name))}
    assert kept <= {"critic_steps", "policy_loss"}, "a part of the state can never be reset"


def test_unless_said_everything_is_as_in_a_fresh_member(algorithm, fresh, trained, renewed, equal):
    after = renewed()
    for field in {field for part in algorithm.parts.values() for field in part}:
        assert equal(getattr(after, field), getattr(fresh, field)), field
        assert not equal(getattr(after, field), getattr(trained, field)), field


def test_a_part_is_reset_and_the_others_keep_every_bit(algorithm, trained, renewed, equal):
    for part, fields in algorithm.parts.items():
        after = renewed(parts=[part])
        for field in trained._fields:
            unchanged = equal(getattr(after, field), getattr(trained, field))
            assert unchanged != (field in fields), f"{field} after a reset of {part}"


def test_every_reset_has_weights_of_its_own(renewed, equal):
    one, other = renewed(seed=1), renewed(seed=2)
    assert not equal(one.policy, other.policy)
    assert not equal(one.critic, other.critic)
    assert equal(one, renewed(seed=1))


def test_shrink_and_perturb(algorithm, fresh, trained, renewed, equal):
    after = renewed(keep=0.8)
    for part, fields in algorithm.parts.items():
        for field in fields:
            now = flat(getattr(after, field))
            if part == "optimisers":
                assert equal(getattr(after, field), getattr(fresh, field)), field
            else:
                online = field.removeprefix("target_")  # a target becomes a copy of its renewed network
                old, new = flat(getattr(trained, online)), flat(getattr(fresh, online))
                for name in now:
                    np.testing.assert_allclose(now[name], 0.8 * old[name] + 0.2 * new[name], rtol=1e-5, atol=1e-7)


def test_last_layers_only(fresh, trained, renewed):
    after = renewed(parts=["actor", "critic"], layers="last")
    for field in ("policy", "critic"):
        old, now, new = flat(getattr(trained, field)), flat(getattr(after, field)), flat(getattr(fresh, field))
        assert any("output" in name for name in now)
        for name in now:
            np.testing.assert_array_equal(now[name], (new if "output" in name else old)[name], err_msg=name)
    jax.tree.map(np.testing.assert_array_equal, after.target_critic, after.critic)


def test_a_population_is_reset_in_one_program(info, numbers_of, compiled, equal):
    """Mapped over members, each with a key and numbers of its own. A temperature is a last layer by itself."""
    algorithm, numbers = build_algorithm(SPECS["sac"], info), numbers_of(SPECS["sac"])
    several = {name: np.stack([value, value]) for name, value in numbers.items()}
    several["initial_temperature"] = np.array([0.5, 2.0], np.float32)
    born = compiled(jax.vmap(algorithm.init))(jax.random.split(jax.random.key(0)), several)
    born = born._replace(log_temperature=born.log_temperature - 3)
    spec = ResetsSpec(**ONCE, layers="last")
    renew = jax.vmap(lambda key, numbers, state: reset(algorithm, spec, key, numbers, state))
    after = compiled(renew)(jax.random.split(key()), several, born)
    np.testing.assert_allclose(after.log_temperature, np.log([0.5, 2.0]), rtol=1e-5)
    heads = after.policy["params"]["output_mean"]["kernel"]
    assert not np.array_equal(heads[0], heads[1])
    assert equal(after.policy["params"]["hidden_0"], born.policy["params"]["hidden_0"])


@pytest.mark.parametrize(
    "wrong", [{"interval": 0}, {"keep": 1.0}, {"keep": -0.1}, {"parts": []}, {"parts": ["replay"]}, {"layers": "first"}]
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ResetsSpec(**{**ONCE, **wrong})


class TestShrinkAndPerturb:
    """As IPBT starts its members again."""

    def renew(self, algorithm, numbers, trained, *shares):
        function = partial(shrink_and_perturb, algorithm)
        return function(key(), numbers, trained, np.array(shares, np.float32))

    def test_weights_are_mixed_and_all_else_stays(self, algorithm, numbers, trained, fresh):
        found = self.renew(algorithm, numbers, trained, 0.2, 0.1)
        layout = algorithm.layout
        for field in layout.weights:
            leaves = zip(*(jax.tree.leaves(getattr(state, field)) for state in (found, trained, fresh)), strict=True)
            for mixed, old, new in leaves:
                np.testing.assert_allclose(mixed, 0.2 * old + 0.1 * new if old.ndim else old, rtol=1e-5, atol=1e-7)
        for target, followed in layout.targets.items():
            assert_same(getattr(found, target), getattr(found, followed))
        for field in set(trained._fields) - {*layout.weights, *layout.targets}:
            assert_same(getattr(found, field), getattr(trained, field))

    def test_a_new_member_is_new_and_one_that_is_left_alone_is_the_same(self, algorithm, numbers, trained, fresh):
        assert_same(self.renew(algorithm, numbers, trained, 0.0, 1.0), fresh)
        assert_same(self.renew(algorithm, numbers, trained, 1.0, 0.0), trained)


def assert_same(found, expected):
    jax.tree.map(np.testing.assert_array_equal, found, expected)
