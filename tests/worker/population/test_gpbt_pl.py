"""GPBT-PL's rule by hand, through the method, and against the faults of the authors' code."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import Uniform, parse_spec
from phylon.spec.methods.gpbt_pl import GPBTPLSpec
from phylon.worker.core.keys import member_keys
from phylon.worker.population import PopulationScores, build_method, gpbt_pl
from phylon.worker.population.gpbt_pl import learn, next_velocity
from phylon.worker.population.hyperparams import prior

SIZE = 4
FITNESS = jnp.array([3.0, 2.0, 1.0, 0.0])  # slot 3 copies slot 0


def make_spec(**settings):
    return parse_spec(
        {
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": {
                "name": "td3",
                "exploration_noise": {"uniform": [0.0, 1.0]},
                "policy_learning_rate": {"log_uniform": [1e-5, 1e-2]},
                "target_noise": {"choice": [0.1, 0.2, 0.3, 0.4, 0.5]},
            },
            "population": {"size": SIZE, "method": {"name": "gpbt_pl", "interval": 10_000, **settings}},
            "budget": 100_000,
        }
    )


def evolve(spec, state=None, seed=0, **values):
    method = build_method(spec)
    hyperparams = {
        name: jnp.asarray(values.get(name, usual), jnp.float32)
        for name, usual in {
            "exploration_noise": [0.8, 0.5, 0.5, 0.2],
            "policy_learning_rate": [1e-3, 1e-3, 1e-3, 1e-4],
            "target_noise": [0.3, 0.1, 0.1, 0.1],
        }.items()
    }
    scores = PopulationScores(jnp.int32(0), FITNESS, FITNESS[:, None])
    state = method.init(jax.random.key(0), hyperparams) if state is None else state
    return method, hyperparams, jax.jit(method.evolve)(jax.random.key(seed), state, hyperparams, scores)


def test_the_velocity_by_hand():
    # 0.5 * 0.1 + 0.25 * (0.8 - 0.2)
    assert next_velocity(0.5, 0.25, jnp.float32(0.1), jnp.float32(0.6)) == pytest.approx(0.2)
    assert next_velocity(0.0, 1.0, jnp.float32(9.0), jnp.float32(-0.3)) == pytest.approx(-0.3)


class TestOneNumber:
    PRIOR = prior(Uniform(uniform=(0.0, 1.0)))

    def many(self, own, winner, velocity, count=4000, **settings):
        method = GPBTPLSpec(name="gpbt_pl", interval=1, **settings)
        keys = member_keys(jax.random.key(1), count)
        rule = jax.vmap(partial(learn, method, self.PRIOR), in_axes=(0, None, None, None))
        return [np.asarray(x) for x in rule(keys, *(jnp.float32(value) for value in (own, winner, velocity)))]

    def test_it_goes_a_uniform_share_of_the_way(self):
        values, velocities, codes = self.many(0.2, 0.8, 0.0, resample=0.0)
        assert np.all((values >= 0.2) & (values <= 0.8))
        assert values.mean() == pytest.approx(0.5, abs=0.01)
        assert values.std() == pytest.approx(0.6 / np.sqrt(12), rel=0.05)
        np.testing.assert_allclose(values, 0.2 + velocities, rtol=1e-5)
        assert set(codes) == {2}

    def test_both_shares_are_drawn_apart(self):
        values, velocities, _ = self.many(0.5, 0.6, 0.2, resample=0.0)
        assert velocities.mean() == pytest.approx(0.1 + 0.05, abs=0.005)
        assert velocities.var() == pytest.approx((0.2**2 + 0.1**2) / 12, rel=0.1)  # of a sum of independent draws
        assert values.max() <= 0.8 + 1e-6

    def test_weights_scale_it(self):
        _, velocities, _ = self.many(0.5, 0.6, 0.2, resample=0.0, inertia=0.0, attraction=2.0)
        assert velocities.mean() == pytest.approx(0.1, abs=0.005)

    def test_a_quarter_is_drawn_anew_and_stands_still(self):
        values, velocities, codes = self.many(0.2, 0.8, 0.9)
        drawn = codes == 1
        assert drawn.mean() == pytest.approx(0.25, abs=0.03)
        assert values[drawn].mean() == pytest.approx(0.5, abs=0.04)
        assert np.all(velocities[drawn] == 0)

    def test_bounds_are_kept(self):
        values, _, _ = self.many(0.9, 1.0, 5.0, resample=0.0)
        assert values.max() == 1.0


class TestTheMethod:
    def test_the_weights_of_the_winner_and_values_from_the_own_ones(self):
        method, before, plan = evolve(make_spec(resample=0.0))
        assert plan.parents.tolist() == [0, 1, 2, 0]
        assert 0.2 <= plan.hyperparams["exploration_noise"][3] <= 0.8
        assert 1e-4 <= plan.hyperparams["policy_learning_rate"][3] <= 1e-3
        for name, values in before.items():
            np.testing.assert_array_equal(plan.hyperparams[name][:3], values[:3])
        births = method.describe(jax.device_get(plan))
        assert births[:3] == [None] * 3
        assert births[3].changes["exploration_noise"] == "velocity"
        assert births[3].operator == "perturb"
        assert not method.copying.hyperparams  # lineage: what it explored from were its own values

    def test_a_choice_moves_to_a_neighbour_of_the_winners(self):
        plans = [evolve(make_spec(resample=0.0), seed=seed)[2] for seed in range(8)]
        assert {round(float(plan.hyperparams["target_noise"][3]), 3) for plan in plans} == {0.2, 0.4}

    def test_numbers_move_in_their_own_units(self):
        """Also where their prior is logarithmic, as in the authors' code."""
        _, _, plan = evolve(make_spec(resample=0.0))
        velocity = float(plan.method_state["policy_learning_rate"][3])
        assert 0 < velocity <= 9e-4
        assert plan.hyperparams["policy_learning_rate"][3] == pytest.approx(1e-4 + velocity, rel=1e-4)

    def test_momentum_lasts_beyond_the_winner(self):
        """At the winner's own place only the velocity of before moves it on."""
        spec = make_spec(resample=0.0)
        state = {"exploration_noise": jnp.array([0.0, 0, 0, 0.2]), "policy_learning_rate": jnp.zeros(4)}
        _, _, plan = evolve(spec, state, exploration_noise=[0.5] * 4)
        assert 0.5 < plan.hyperparams["exploration_noise"][3] < 0.7
        velocity = float(plan.method_state["exploration_noise"][3])
        assert plan.hyperparams["exploration_noise"][3] == pytest.approx(0.5 + velocity)

    def test_who_lives_on_keeps_its_velocity(self):
        state = {"exploration_noise": jnp.array([0.1, 0.2, 0.3, 0.4]), "policy_learning_rate": jnp.zeros(4)}
        _, _, plan = evolve(make_spec(), state)
        assert plan.method_state["exploration_noise"][:3].tolist() == pytest.approx([0.1, 0.2, 0.3])


def assert_resampled_members_stand_still():
    spec = make_spec(resample=1.0)
    state = {"exploration_noise": jnp.array([0.4, 0.0, 0.0, 0.3]), "policy_learning_rate": jnp.zeros(4)}
    _, _, plan = evolve(spec, state)
    assert plan.method_state["exploration_noise"][3] == 0


def test_a_velocity_ends_with_the_value_that_it_moved():
    assert_resampled_members_stand_still()


def test_the_guard_notices_the_authors_rule(monkeypatch):
    """In their code a resampled value goes on with a velocity that belongs to another value."""

    def theirs(method, own_prior, key, own, winner, velocity):
        value, _, code = learn(method, own_prior, key, own, winner, velocity)
        return value, velocity, code

    monkeypatch.setattr(gpbt_pl, "learn", theirs)
    with pytest.raises(AssertionError):
        assert_resampled_members_stand_still()
