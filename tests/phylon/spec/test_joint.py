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
        assert (method.elites, method.trained, method.initial_variance, method.weights) == (0.5, 0.5, 1e-2, "log")
        assert (method.noise.initial, method.noise.final, method.noise.decay) == (1e-2, 1e-5, 0.95)
    else:
        assert method.coefficient.arms == (0.0, 0.5)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda raw: raw["replay"].update(sharing="per_member"), "replay.sharing"),
        (lambda raw: raw["algorithm"].update(discount={"uniform": [0.9, 0.99]}), "algorithm.discount"),
        (lambda raw: raw["algorithm"].update(policy_delay={"int_uniform": [1, 2]}), "algorithm.policy_delay"),
        (lambda raw: raw.update(execution={"strategy": "sharded"}), "execution.strategy"),
        (lambda raw: raw.update(execution={"strategy": "parallel"}), "execution.strategy"),
        (lambda raw: raw.update(execution={"strategy": "vectorized", "chunk": 2}), "execution.chunk"),
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
