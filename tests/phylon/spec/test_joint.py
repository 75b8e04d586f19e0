"""What methods with a shared critic ask of a spec."""

from typing import Any

import pytest

from phylon.spec import SpecInvalid, parse_spec
from phylon.spec.resolve import resolve

SCHEDULE = {"name": "schedule", "values": [{"step": 0, "value": 0.0}, {"step": 3000, "value": 0.5}]}


@pytest.fixture(params=["cem_rl", "dvd"])
def joint(request: pytest.FixtureRequest, raw: dict[str, Any]) -> dict[str, Any]:
    raw["population"]["method"] = {"name": request.param, "interval": 1000}
    raw["replay"]["sharing"] = "shared"
    raw["algorithm"] = {"name": "td3", "policy_learning_rate": {"log_uniform": [1e-4, 1e-3]}}
    return raw


def problems(raw: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(SpecInvalid) as caught:
        parse_spec(raw)
    assert all(problem["remedy"] != "correct the value" for problem in caught.value.problems)
    return {problem["path"]: problem["message"] for problem in caught.value.problems}


def test_defaults(joint):
    method = parse_spec(joint).population.method
    if method.name == "cem_rl":
        assert (method.elites, method.trained, method.weights) == (0.5, 0.5, "log")
    else:
        assert method.coefficient.arms == (0.0, 0.5)


VARIANCES = {"authors": (1e-3, 1e-3, 1e-5, 0.95), "fastpbrl": (1e-2, 1e-2, 1e-5, 0.95)}


@pytest.mark.parametrize("rule", VARIANCES)
def test_variances_of_cem_rl_are_those_of_its_rule(raw, rule):
    method = {"name": "cem_rl", "interval": 1000, "rule": rule}
    raw |= {"algorithm": {"name": "td3"}, "replay": raw["replay"] | {"sharing": "shared"}}
    spec = parse_spec(raw | {"population": raw["population"] | {"method": method}})
    found, noise = spec.population.method, spec.population.method.noise
    assert (found.initial_variance, noise.initial, noise.final, noise.decay) == VARIANCES[rule]
    written = method | {"initial_variance": 0.5, "noise": {"initial": 0.25, "decay": 0.5}}
    found = parse_spec(raw | {"population": raw["population"] | {"method": written}}).population.method
    assert (found.initial_variance, found.noise.initial, found.noise.decay) == (0.5, 0.25, 0.5)


def test_cem_rl_learns_at_each_joint_step_where_nothing_is_said():
    short = {"environment": "Pendulum-v1", "algorithm": "td3", "budget": "20k"}
    assert resolve(short | {"population": {"size": 6, "method": "cem_rl"}}).spec.replay.ratio == 6
    assert resolve(short | {"population": {"size": 6, "method": "dvd"}}).spec.replay.ratio == 1
    given = {"population": {"size": 6, "method": "cem_rl"}, "replay": {"ratio": 2}}
    assert resolve(short | given).spec.replay.ratio == 2


def test_cem_rl_of_version_1_means_what_it_meant(raw):
    raw |= {"version": 1, "algorithm": {"name": "td3"}, "replay": {"sharing": "shared", "warmup": 1000}}
    raw["population"]["method"] = {"name": "cem_rl", "interval": 1000}
    spec = parse_spec(raw)
    assert (spec.population.method.initial_variance, spec.replay.ratio) == (1e-2, 1.0)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda raw: raw["replay"].update(sharing="per_member"), "replay.sharing"),
        (lambda raw: raw["algorithm"].update(discount={"uniform": [0.9, 0.99]}), "algorithm.discount"),
        (lambda raw: raw["algorithm"].update(policy_delay={"int_uniform": [1, 2]}), "algorithm.policy_delay"),
        (lambda raw: raw.update(execution={"strategy": "sharded"}), "execution.strategy"),
        (lambda raw: raw.update(execution={"strategy": "parallel"}), "execution.strategy"),
        (lambda raw: raw.update(execution={"strategy": "vectorized", "chunk": 2}), "execution.chunk"),
        (
            lambda raw: raw["algorithm"].update(observations={"normalise": True}),
            "algorithm.observations.normalise",
        ),
        (lambda raw: raw.update(resets={"interval": 1000}), "resets"),
        (lambda raw: raw["population"].update(size=1), "population.size"),
        (lambda raw: raw.update(algorithm={"name": "ddpg"}), "algorithm.name"),
    ],
)
def test_what_does_not_fit_is_refused(joint, change, path):
    change(joint)
    assert list(problems(joint)) == [path]


def test_dvd_is_for_td3_alone(raw):
    raw["algorithm"] = {"name": "sac"}
    raw["replay"]["sharing"] = "shared"
    raw["population"]["method"] = {"name": "dvd", "interval": 1000}
    assert list(problems(raw)) == ["algorithm.name"]
    raw["population"]["method"] = {"name": "cem_rl", "interval": 1000, "fitness": {"name": "mean"}}
    assert list(problems(raw)) == ["population.method.fitness.name"]


class TestSchedule:
    @pytest.fixture
    def scheduled(self, raw: dict[str, Any]) -> dict[str, Any]:
        raw["algorithm"] = {"name": "td3"}
        raw["replay"]["sharing"] = "shared"
        raw["population"]["method"] = {"name": "dvd", "interval": 1000, "coefficient": SCHEDULE}
        return raw

    def test_fits(self, scheduled):
        assert parse_spec(scheduled).population.method.coefficient.values[1].value == 0.5

    def test_changes_at_intervals(self, scheduled):
        scheduled["population"]["method"]["interval"] = 2000
        spec, notes = resolve(scheduled)
        assert spec.population.method.coefficient.values[1].step % 2000 == 0
        assert [note["path"] for note in notes] == ["population.method.coefficient.values.1.step"]

    def test_counts_steps(self, scheduled):
        scheduled["population"]["method"]["unit"] = "updates"
        assert list(problems(scheduled)) == ["population.method.unit"]

    def test_waits_for_no_burn_in(self, scheduled):
        scheduled["population"]["method"]["burn_in"] = 4000
        assert list(problems(scheduled)) == ["population.method.coefficient.values.1.step"]

    def test_rises_from_zero(self, scheduled):
        values = [{"step": 1000, "value": 0.0}, {"step": 0, "value": 0.5}]
        scheduled["population"]["method"]["coefficient"] = {"name": "schedule", "values": values}
        assert "do not rise from 0" in "".join(problems(scheduled).values())


def test_a_shared_replay_is_not_copied(raw):
    raw["replay"]["sharing"] = "shared"
    parse_spec(raw)
    raw["population"]["method"]["copying"] = {"replay": True}
    assert list(problems(raw)) == ["population.method.copying.replay"]
