"""CEM-RL's and DvD's plans: by hand, and by properties that hold for every population."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.spec import parse_spec
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.core.keys import member_keys
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution.compilation import seldom_run
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams
from phylon.worker.population.dvd import BanditState, choose, first_state

SIZE = 5
CEM_RL = {"name": "cem_rl", "interval": 1000, "trained": 0.4}
SCHEDULE = {
    "name": "schedule",
    "values": [{"step": 0, "value": 0.0}, {"step": 2000, "value": 0.5}, {"step": 4000, "value": 0.2}],
}
DVD = {"name": "dvd", "interval": 1000, "coefficient": SCHEDULE}
BANDIT = {"name": "dvd", "interval": 1000, "coefficient": {"name": "bandit", "arms": [0.0, 0.5]}}
METHODS = {"cem_rl": CEM_RL, "dvd": DVD, "bandit": BANDIT}


def make_spec(method, algorithm="td3"):
    return parse_spec(
        {
            "version": 1,
            "name": "joint",
            "kind": "training",
            "environment": {"suite": "probe", "id": "ActionReward-v0"},
            "algorithm": {"name": algorithm, "network": {"hidden": [4]}},
            "population": {"size": SIZE, "method": method},
            "replay": {"sharing": "shared"},
            "budget": {"env_steps": 100_000},
            "evaluation": {"interval": 1000},
        }
    )


def scores(step=1000, fitness=(1.0, 5.0, 3.0, 4.0, 2.0)):
    return PopulationScores(np.int32(step), np.array(fitness, np.float32), np.zeros((SIZE, 1), np.float32))


@pytest.fixture(scope="module", params=METHODS)
def evolving(request):
    spec = make_spec(METHODS[request.param])
    method = build_method(spec)
    hyperparams = jax.device_get(sample_hyperparams(jax.random.key(0), spec.algorithm, SIZE))
    hyperparams |= {name: np.full(SIZE, value, np.float32) for name, value in method.hyperparams.items()}
    evolve = jax.jit(method.evolve, compiler_options=seldom_run())
    return method, hyperparams, jax.device_get(method.init(jax.random.key(1), hyperparams)), evolve


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    step=st.integers(1, 10).map(lambda number: 1000 * number),
    fitness=st.lists(st.floats(width=32, allow_nan=True, allow_infinity=False), min_size=SIZE, max_size=SIZE),
)
def test_every_plan(evolving, seed, step, fitness):
    method, hyperparams, state, evolve = evolving
    plan, again = (evolve(jax.random.key(seed), state, hyperparams, scores(step, fitness)) for _ in range(2))
    assert jax.tree.all(jax.tree.map(lambda a, b: np.array_equal(a, b, equal_nan=True), plan, again))
    assert plan.parents.tolist() == list(range(SIZE))
    assert plan.hyperparams.keys() == hyperparams.keys()
    for name, values in plan.hyperparams.items():
        assert values.shape == (SIZE,) and values.dtype == jnp.float32
        if name == "diversity":
            assert len(set(values.tolist())) == 1 and 0 <= values[0] <= 1
        else:
            np.testing.assert_array_equal(values, hyperparams[name])
    births = method.describe(jax.device_get(plan))
    assert len(births) == SIZE
    assert all(birth is None or birth.parent in (None, *range(SIZE)) for birth in births)


class TestCEMRL:
    def test_everyone_descends_from_the_heaviest_elite(self):
        method = build_method(make_spec(CEM_RL))
        plan = method.evolve(jax.random.key(0), (), {}, scores())
        assert [(birth.operator, birth.parent) for birth in method.describe(plan)] == [("sample", 1)] * SIZE
        weights = plan.reasons["elite_weight"]
        assert weights[1] > weights[3] > weights[2] > 0 and weights[0] == weights[4] == 0  # half of five: three
        assert plan.reasons["trained"].tolist() == [1, 1, 0, 0, 0]

    @pytest.mark.parametrize("algorithm", ["td3", "sac"])
    def test_drawn_policies_begin_anew_and_the_critic_lives_on(self, algorithm):
        spec = make_spec(CEM_RL, algorithm)
        info = EnvironmentInfo(observation_shape=(1,), action_size=1, max_episode_steps=1)
        joint, search = build_joint_algorithm(spec, info), build_method(spec).search
        assert joint and search and joint.learners == 2

        def life(key):
            numbers = sample_hyperparams(key, spec.algorithm, SIZE)
            founders = joint.init(member_keys(jax.random.key(1), SIZE), numbers)
            state, drawn = search.begin(jax.random.key(2), founders)
            used = drawn._replace(members=jax.tree.map(lambda leaf: leaf + 1, drawn.members))
            return founders, state, drawn, used, search.breed(jax.random.key(3), state, used, scores())

        founders, state, drawn, used, (after, bred) = jax.jit(life, compiler_options=seldom_run())(jax.random.key(0))
        for mean, leaf in zip(jax.tree.leaves(state.mean), jax.tree.leaves(founders.members.policy), strict=True):
            np.testing.assert_array_equal(mean, leaf[0])
        for old, new in ((founders, drawn), (used, bred)):
            assert jax.tree.all(jax.tree.map(np.array_equal, old.shared, new.shared))
            assert not any(np.any(leaf) for leaf in jax.tree.leaves(new.members.policy_optimiser))
            kernel = jax.tree.leaves(new.members.policy)[-1]
            assert len(np.unique(kernel.reshape(SIZE, -1), axis=0)) == SIZE
            if algorithm == "td3":
                assert jax.tree.all(jax.tree.map(np.array_equal, new.members.policy, new.members.target_policy))
        weights = np.asarray(build_method(spec).evolve(jax.random.key(0), (), {}, scores()).reasons["elite_weight"])
        for mean, samples in zip(jax.tree.leaves(after.mean), jax.tree.leaves(used.members.policy), strict=True):
            np.testing.assert_allclose(mean, np.tensordot(weights, samples, axes=1), rtol=1e-5, atol=1e-6)
        centre = search.centre(after, bred).members.policy
        for mean, leaf in zip(jax.tree.leaves(after.mean), jax.tree.leaves(centre), strict=True):
            np.testing.assert_array_equal(leaf, np.broadcast_to(mean, leaf.shape))


class TestSchedule:
    @pytest.mark.parametrize(("step", "value"), [(1000, 0.0), (2000, 0.5), (3000, 0.5), (4000, 0.2), (9000, 0.2)])
    def test_is_piecewise_constant(self, step, value):
        method = build_method(make_spec(DVD))
        plan = method.evolve(jax.random.key(0), (), {"diversity": jnp.zeros(SIZE)}, scores(step))
        np.testing.assert_allclose(plan.hyperparams["diversity"], np.full(SIZE, value))
        births = method.describe(plan)
        assert [birth and birth.operator for birth in births] == ["schedule" if value else None] * SIZE

    def test_begins_with_its_first_value(self):
        assert build_method(make_spec(DVD)).hyperparams == {"diversity": 0.0}
        arms = {"name": "bandit", "arms": [0.3, 0.0]}
        assert build_method(make_spec(DVD | {"coefficient": arms})).hyperparams == {"diversity": 0.3}


DRAWS = jax.jit(jax.vmap(choose, in_axes=(0, None, None)), compiler_options=seldom_run())


def draws(number, state, best):
    return DRAWS(jax.random.split(jax.random.key(number), 200), state, jnp.float32(best))


class TestBandit:
    def test_an_arm_wins_where_the_best_rises(self):
        def first_draw(number, state, best):
            return jax.tree.map(lambda leaf: leaf[0], draws(number, state, best))

        state = first_draw(0, first_state(2), 1.0)
        assert state.wins.tolist() == state.losses.tolist() == [0, 0]  # nothing to compare with
        won = first_draw(1, state._replace(arm=jnp.int32(1)), 2.0)
        assert (won.wins.tolist(), won.losses.tolist()) == ([0, 1], [0, 0])
        lost = first_draw(2, won._replace(arm=jnp.int32(0)), 2.0)
        assert (lost.wins.tolist(), lost.losses.tolist()) == ([0, 1], [1, 0])

    def test_the_better_arm_is_drawn_more_often(self):
        state = BanditState(jnp.array([2.0, 18.0]), jnp.array([18.0, 2.0]), jnp.int32(0), jnp.float32(0.0))
        assert draws(0, state, 0.0).arm.tolist().count(1) == 200
        assert 60 < draws(0, first_state(2), 0.0).arm.tolist().count(1) < 140
