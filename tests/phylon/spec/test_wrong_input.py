"""Whatever is wrong with a spec, the answer names the path, the value and a remedy, and can be sent as JSON."""

# ruff: noqa: E501 - the tables read better with one case a line

import json
from collections.abc import Callable
from typing import Any

import pytest

from phylon.spec import Problem, SpecInvalid, parse_spec, parse_yaml

INFINITY, NAN = float("inf"), float("nan")


def put(raw: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for key in parents:
        raw = raw.setdefault(key, {})
    raw[last] = value


def problems(read: Callable[[Any], Any], what: Any) -> list[Problem]:
    with pytest.raises(SpecInvalid) as caught:
        read(what)
    assert caught.value.problems
    for problem in caught.value.problems:
        assert problem["message"] and problem["remedy"] != "correct the value", problem
        assert problem["remedy"] in str(caught.value)
    json.dumps(caught.value.problems, allow_nan=False)
    return caught.value.problems


# what is written where | where the problem is said to be | the value shown | words of the remedy
ONE_MISTAKE = [
    ("videos", {"interval": "often"}, "videos.interval", "often", "use a whole number"),
    ("videos", {"interval": 1000, "width": 321}, "videos.width", 321, "use 320 or 322"),
    ("videos", {"interval": 1000, "steps": 0}, "videos.steps", 0, "use a value at least 1"),
    ("videos", {"interval": 1000, "members": [0, 4]}, "videos.members", 4, "use numbers from 0 to 3, best, or all"),
    ("videos", {"interval": 1000, "members": [1, 1]}, "videos.members", "(1, 1)", "name each member once"),
    ("videos", {"interval": 1000, "member": "all"}, "videos.member", "all", "did you mean 'members'?"),
    ("evaluation.policy", "sample", "evaluation.policy", "sample", "only drac, ppo, sac can be evaluated so"),
    ("evaluation.policy", "best", "evaluation.policy", "best", "use one of 'mode' or 'sample'"),
    ("evaluation.epsilon", 0.05, "evaluation.epsilon", 0.05, "leave it out"),
    ("evaluation.epsilon", 2, "evaluation.epsilon", 2, "at most 1"),
    ("evaluation.final", -1, "evaluation.final", -1, "at least 0"),
    ("learning_rate", 0.1, "learning_rate", 0.1, "remove it; fields here are: version, name"),
    ("algorithm.discont", 0.9, "algorithm.discont", 0.9, "did you mean 'discount'?"),
    ("algorithm.network.hiden", [4], "algorithm.network.hiden", "[4]", "did you mean 'hidden'?"),
    ("algorithm.name", "sax", "algorithm.name", "sax", "use one of"),
    ("algorithm.name", 3, "algorithm.name", "3", "use one of"),
    ("algorithm", {"name": "ddpg", "critics": 2}, "algorithm.critics", 2, "fields here are: name, batch_size"),
    ("algorithm", {"name": "sac", "temprature": "fixed"}, "algorithm.temprature", "fixed", "did you mean 'temperature'?"),
    ("algorithm", {"name": "sac", "temperature": 0.2}, "algorithm.temperature", 0.2, "use one of 'adaptive' or 'fixed'"),
    ("algorithm", {"name": "sac", "reward_scale": {"uniform": [0, 1]}}, "algorithm.reward_scale", "{'uniform': [0, 1]}", "keep it in (0, inf)"),
    ("algorithm", {"name": "sac", "network": {"layer_norms": "all"}}, "algorithm.network.layer_norms", "all", "did you mean 'layer_norm'?"),
    ("algorithm", {}, "algorithm.name", None, "add 'algorithm.name'"),
    ("algorithm", [1], "algorithm", "[1]", "write a mapping with the fields: name, batch_size"),
    ("algorithm", "td4", "algorithm.name", "td4", "use one of "),
    ("algorithm.batch_size", 0, "algorithm.batch_size", 0, "use a value at least 1"),
    ("algorithm.batch_size", "many", "algorithm.batch_size", "many", "use a whole number"),
    ("algorithm.batch_size", 2.5, "algorithm.batch_size", 2.5, "use a whole number"),
    ("algorithm.batch_size", "2h", "algorithm.batch_size", "2h", "use a whole number"),
    ("replicates", True, "replicates", True, "use a whole number"),
    ("replay.ratio", "1:1", "replay.ratio", "1:1", "use a number"),
    ("algorithm.network.hidden", [], "algorithm.network.hidden", "[]", "give at least 1"),
    ("algorithm.network.hidden", 64, "algorithm.network.hidden", 64, "write a list"),
    ("algorithm.network.hidden", ["wide"], "algorithm.network.hidden.0", "wide", "use a whole number"),
    ("algorithm.network.hidden", [64, 0], "algorithm.network.hidden.1", 0, "use a value at least 1"),
    ("algorithm.network.activation", "sin", "algorithm.network.activation", "sin", "use one of 'relu', 'elu', 'tanh', 'gelu' or 'silu'"),
    ("algorithm.network.layer_norm", "last", "algorithm.network.layer_norm", "last", "use one of 'none', 'first' or 'all'"),
    ("algorithm.network.init", "zero", "algorithm.network.init", "zero", "use one of 'uniform', 'orthogonal' or 'fan_in'"),
    ("algorithm.discount", "1e", "algorithm.discount", "1e", "write a number such as 0.001"),
    ("algorithm.discount", None, "algorithm.discount", None, "write a number such as 0.001"),
    ("algorithm.discount", True, "algorithm.discount", True, "write a number such as 0.001"),
    ("algorithm.discount", 1.5, "algorithm.discount", 1.5, "keep it in [0, 1]"),
    ("algorithm.discount", NAN, "algorithm.discount", "nan", "use a finite number"),
    ("algorithm.discount", {"normal": [0, 1]}, "algorithm.discount", "{'normal': [0, 1]}", "{uniform: [low, high]}"),
    ("algorithm.discount", {"uniform": [0.99, 0.9]}, "algorithm.discount.uniform", "[0.99, 0.9]", "the smaller number first"),
    ("algorithm.discount", {"uniform": [0.9]}, "algorithm.discount.uniform.1", None, "write at least 2 values"),
    ("algorithm.discount", {"uniform": [0.7, 0.8, 0.9]}, "algorithm.discount.uniform", "[0.7, 0.8, 0.9]", "give at most 2"),
    ("algorithm.discount", {"uniform": 0.9}, "algorithm.discount.uniform", 0.9, "write a list"),
    ("algorithm.discount", {"uniform": ["low", 1]}, "algorithm.discount.uniform.0", "low", "use a number"),
    ("algorithm.discount", {"uniform": [0.9, 1.1]}, "algorithm.discount", "{'uniform': [0.9, 1.1]}", "keep it in [0, 1]"),
    ("algorithm.discount", {"int_uniform": [0, 1]}, "algorithm.discount", "{'int_uniform': [0, 1]}", "use uniform"),
    ("algorithm.discount", {"choice": [0.9]}, "algorithm.discount.choice", "[0.9]", "give at least 2"),
    ("algorithm.discount", {"choice": [0.9, 0.9]}, "algorithm.discount.choice", "[0.9, 0.9]", "list each value once"),
    ("algorithm.target_noise", {"uniform": [0, INFINITY]}, "algorithm.target_noise.uniform.1", "inf", "use a finite number"),
    ("algorithm.target_noise", INFINITY, "algorithm.target_noise", "inf", "use a finite number"),
    ("algorithm.policy_learning_rate", 0, "algorithm.policy_learning_rate", 0, "keep it in (0, inf)"),
    ("algorithm.policy_learning_rate", {"log_uniform": [0, 1]}, "algorithm.policy_learning_rate.log_uniform", "[0, 1]", "positive lower bound"),
    ("algorithm.policy_delay", 1.5, "algorithm.policy_delay", 1.5, "use a whole number"),
    ("algorithm.policy_delay", {"uniform": [1, 3]}, "algorithm.policy_delay", "{'uniform': [1, 3]}", "int_uniform"),
    ("algorithm.policy_delay", {"int_uniform": [1.5, 3]}, "algorithm.policy_delay.int_uniform.0", 1.5, "use a whole number"),
    ("population.size", -1, "population.size", -1, "use a value at least 1"),
    ("population.method.interval", None, "population.method.interval", None, "use a whole number"),
    ("population.method.name", "annealing", "population.method.name", "annealing", "use one of bg_pbt, cem_rl"),
    ("population.method.explore", {"factors": [1, 2]}, "population.method.explore.name", None, "add 'population.method.explore.name'"),
    ("population.method.explore", {"name": "guess"}, "population.method.explore.name", "guess", "'perturb', 'resample'"),
    ("population.method.explore", "guess", "population.method.explore.name", "guess", "'perturb', 'resample'"),
    ("population.method.explore", {"name": "perturb", "resmaple": 0.1}, "population.method.explore.resmaple", 0.1, "'resample'?"),
    ("population.method.explore", {"name": "resample", "factors": [1, 2]}, "population.method.explore.factors", "[1, 2]", "fields here are: name"),
    ("population.method.explore", {"name": "perturb", "factors": [0.8]}, "population.method.explore.factors.1", None, "at least 2 values"),
    ("population.method.explore", {"name": "perturb", "factors": [0.8, -1]}, "population.method.explore.factors.1", -1, "use a value above 0"),
    ("population.method.selection", {"name": "truncation", "top": 1}, "population.method.selection.top", 1, "below 1"),
    ("resets", {"interval": 1000, "keep": 1}, "resets.keep", 1, "below 1"),
    ("resets", {"interval": 1000, "parts": []}, "resets.parts", "[]", "give at least 1"),
    ("resets", {"interval": 1000, "parts": ["replay"]}, "resets.parts.0", "replay", "use one of 'actor', 'critic', 'temperature' or 'optimisers'"),
    ("resets", {"interval": 1000, "part": ["actor"]}, "resets.part", "['actor']", "did you mean 'parts'?"),
    ("resets", {"parts": ["actor"]}, "resets.interval", None, "add 'resets.interval'"),
    ("replay.ratio", INFINITY, "replay.ratio", "inf", "use a value at most 128"),
    ("budget", None, "budget", None, "write a mapping with the fields: env_steps"),
    ("budget", {}, "budget.env_steps", None, "add 'budget.env_steps'"),
    ("kind", "study", "kind", "study", "use one of 'training'"),
    ("name", "two words", "name", "two words", "use letters, digits"),
    ("name", 5, "name", 5, "put it in quotes"),
    ("seed", 2**31, "seed", 2**31, "use a value below"),
    ("seed", 10**30, "seed", "1" + "0" * 30, "use a value below"),
    ("execution.strategy", "fast", "execution.strategy", "fast", "'auto', 'sequential', 'parallel', 'vectorized' or 'sharded'"),
    ("execution", {"chunk": 2}, "execution.chunk", 2, "write strategy: vectorized, or leave it out"),
    ("execution", {"strategy": "vectorized", "chunk": 0}, "execution.chunk", 0, "use a value at least 1"),
    ("execution", {"strategy": "sharded", "processes": 2}, "execution.processes", 2, "write strategy: parallel, or leave it out"),
    ("execution", {"strategy": "parallel", "processes": 0}, "execution.processes", 0, "use a value at least 1"),
    ("environment.id", "", "environment.id", "", "give at least 1"),
    ("environment.suite", "gym", "environment.suite", "gym", "use one of brax, envpool"),
    ("version", 3, "version", 3, "upgrade Phylon"),
    ("version", "one", "version", "one", "leave it out"),
    ("search", "all", "search", "all", "use one of 'recommended' or 'none'"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "said_path", "said_value", "remedy"), ONE_MISTAKE)
def test_one_mistake(raw: dict[str, Any], path: str, value: Any, said_path: str, said_value: Any, remedy: str):
    put(raw, path, value)
    (problem,) = problems(parse_spec, raw)
    assert (problem["path"], problem["value"]) == (said_path, said_value)
    assert remedy in problem["remedy"]


# each field is right by itself, but they do not fit together
COMBINATIONS = [
    ("environment.id", "Pendulum-v0", "environment.id", "did you mean Pendulum-v1"),
    ("environment.id", "os:system", "environment.id", "phylon worker --allow os"),
    ("population.size", 1, "population.size", "use at least 2"),
    ("population.method.selection", {"name": "truncation", "bottom": 0.5, "top": 0.75}, "population.method.selection.top", "at most 1"),
    ("algorithm", {"name": "sac", "temperature": "fixed", "target_entropy_scale": {"uniform": [0, 1]}}, "algorithm.target_entropy_scale", "or write temperature: adaptive"),
    ("resets", {"interval": 1000, "parts": ["actor", "temperature"]}, "resets.parts", "use some of actor, critic, optimisers"),
    ("replay.warmup", 10000, "replay.warmup", "smaller than budget.env_steps"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "said_path", "remedy"), COMBINATIONS)
def test_parts_that_do_not_fit(raw: dict[str, Any], path: str, value: Any, said_path: str, remedy: str):
    put(raw, path, value)
    found = problems(parse_spec, raw)
    assert said_path in [problem["path"] for problem in found]
    assert any(remedy in problem["remedy"] for problem in found), found


def test_a_ring_smaller_than_a_written_batch(raw: dict[str, Any]):
    raw["algorithm"]["batch_size"] = 256
    raw["replay"]["capacity"] = 100
    (problem,) = problems(parse_spec, raw)
    assert problem["path"] == "replay.capacity" and "raise replay.capacity" in problem["remedy"]


def test_every_mistake_is_reported_at_once(raw: dict[str, Any]):
    put(raw, "seed", -1)
    put(raw, "algorithm.discount", "high")
    put(raw, "extra", {})
    assert {problem["path"] for problem in problems(parse_spec, raw)} == {"seed", "algorithm.discount", "extra"}


@pytest.mark.parametrize("raw_spec", [None, [], "td3", 3, NAN], ids=repr)
def test_not_a_mapping(raw_spec: Any):
    (problem,) = problems(parse_spec, raw_spec)
    assert problem["remedy"] == "write at least the fields environment, algorithm and budget"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 1\n  name: x", "line 2, column 7"),
        ("version: 1\nversion: 1", "line 2, column 1: 'version' is said twice"),
        ("algorithm: {name: td3, name: td3}", "'name' is said twice"),
        ("a: !!python/object/apply:os.system [id]", "line 1, column 4"),
        ("name: 2020-13-45", "month must be in 1..12"),
        ("seed: " + "9" * 5000, "digits"),
        ("a: " + "[" * 200_000, "nested more than 100 levels deep"),
        ("- " * 100_000, "nested more than 100 levels deep"),
        ("a: \x00", "the text"),
    ],
)
def test_text_that_is_not_yaml(text: str, message: str):
    (problem,) = problems(parse_yaml, text)
    assert message in problem["message"]


def test_yaml_that_grows_without_end_is_answered_shortly():
    levels = "\n".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30))
    found = problems(parse_yaml, f"version: 1\nl0: &l0 lol\nself: &self [*self]\n{levels}")
    assert len(json.dumps(found)) < 50_000
