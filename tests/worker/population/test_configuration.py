"""A user's function over whole configurations, installed as a package would install it."""

import sys
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import bounds, parse_spec, tuned
from phylon.worker.core.errors import EngineError
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams

SIZE = 8
ALGORITHM = {
    "name": "td3",
    "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
    "critic_learning_rate": {"log_uniform": [1e-4, 1e-2]},
    "policy_delay": {"int_uniform": [1, 5]},
    "target_noise": {"choice": [0.1, 0.2, 0.4]},
}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a function as the entry point `mine` of a package of its own."""

    def installed(function):
        module = ModuleType("own_package")
        module.mine = function
        monkeypatch.setitem(sys.modules, "own_package", module)
        info = tmp_path / "own_package-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-package\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[phylon.explores]\nmine = own_package:mine\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setenv("PHYLON_ALLOW_CUSTOM", "1")

    return installed


def make_spec(**settings):
    method = {"name": "pbt", "interval": 10_000, "explore_configuration": "mine", **settings}
    return parse_spec(
        {
            "environment": {"suite": "probe", "id": "ConstantReward-v0"},
            "algorithm": ALGORITHM,
            "population": {"size": SIZE, "method": method},
            "budget": 100_000,
        }
    )


def evolve_once(spec, seed=0):
    method, key = build_method(spec), jax.random.key(seed)
    before = sample_hyperparams(key, spec.algorithm, SIZE)
    fitness = jnp.arange(SIZE, dtype=jnp.float32)
    scores = PopulationScores(jnp.int32(0), fitness, fitness[:, None])
    plan = jax.jit(method.evolve)(key, method.init(key, before), before, scores)
    return jax.device_get(before), jax.device_get(plan), method


def test_it_comes_last_and_ties_values_together(install):
    def same_rate(key, values, distributions):
        return {"critic_learning_rate": values["policy_learning_rate"]}

    install(same_rate)
    before, plan, method = evolve_once(make_spec())
    children = np.flatnonzero(plan.parents != np.arange(SIZE))
    policy, critic = plan.hyperparams["policy_learning_rate"], plan.hyperparams["critic_learning_rate"]
    np.testing.assert_array_equal(policy[children], critic[children])
    assert np.all(policy[children] != before["policy_learning_rate"][plan.parents[children]])  # it had moved already
    survivors = np.setdiff1d(np.arange(SIZE), children)
    np.testing.assert_array_equal(critic[survivors], before["critic_learning_rate"][survivors])
    births = method.describe(plan)
    for slot in children:
        assert births[slot].changes["critic_learning_rate"] == "custom"
        assert births[slot].changes["policy_learning_rate"] != "custom"
        assert births[slot].operator == "custom"


def test_it_sees_every_number_and_the_distributions_of_those_that_are_tuned(install):
    seen = []

    def look(key, values, distributions):
        seen.append((set(values), distributions))
        return values

    install(look)
    spec = make_spec()
    _, plan, method = evolve_once(spec)
    names, distributions = seen[-1]
    assert distributions == tuned(spec.algorithm)
    assert names > set(distributions) and "discount" in names
    assert all(birth is None or "custom" not in birth.changes.values() for birth in method.describe(plan))


def test_what_it_says_is_held_to_the_supports(install):
    def wild(key, values, distributions):
        return {
            "policy_learning_rate": 50.0,
            "policy_delay": 2.6,
            "target_noise": -7.0,
            "critic_learning_rate": jnp.nan,
        }

    install(wild)
    spec = make_spec(explore={"name": "keep"}, explorers="everyone")
    before, plan, _ = evolve_once(spec)
    assert np.all(plan.hyperparams["policy_learning_rate"] <= bounds(spec.algorithm.policy_learning_rate).high)
    np.testing.assert_allclose(plan.hyperparams["policy_learning_rate"], 1e-2, rtol=1e-6)
    assert set(plan.hyperparams["policy_delay"]) == {3.0}
    np.testing.assert_allclose(plan.hyperparams["target_noise"], 0.1)
    critic = before["critic_learning_rate"][plan.parents]
    np.testing.assert_array_equal(plan.hyperparams["critic_learning_rate"], critic)  # no number, no change


def test_each_member_has_a_key_of_its_own(install):
    install(lambda key, values, distributions: {"policy_learning_rate": jax.random.uniform(key, (), minval=1e-3)})
    _, plan, _ = evolve_once(make_spec(explorers="everyone"))
    drawn = plan.hyperparams["policy_learning_rate"]
    assert len(set(drawn[drawn < 1e-2].tolist())) == np.sum(drawn < 1e-2)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "answered with NoneType"),
        ({"discount": 0.5}, "changed 'discount', which is a fixed number here"),
        ({"learning_rat": 0.5}, "changed 'learning_rat', which is no hyper-parameter"),
    ],
)
def test_an_answer_that_cannot_be_followed_is_refused_before_training(install, answer, message):
    install(lambda key, values, distributions: answer)
    with pytest.raises(EngineError, match=message):
        build_method(make_spec())


def test_it_is_refused_unless_the_worker_allows_it(install, monkeypatch):
    install(lambda key, values, distributions: values)
    monkeypatch.delenv("PHYLON_ALLOW_CUSTOM")
    with pytest.raises(EngineError, match="does not allow"):
        build_method(make_spec())
