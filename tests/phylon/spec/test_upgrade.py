"""A spec stored by any release can be read for ever, and means what it meant: frozen samples of each version."""

import json
from pathlib import Path
from typing import Any

import pytest

from phylon.presets import load_preset
from phylon.spec import (
    Group,
    SpecInvalid,
    parse_accepted,
    parse_document,
    parse_spec,
    read_yaml,
    spec_to_json,
    tuned,
)
from phylon.spec.upgrade import CURRENT_VERSION, upgrade

SAMPLES = Path(__file__).parent / "versions"
PRESETS_OF_1 = sorted((SAMPLES / "1").glob("*.yaml"))
MEANING_OF_1 = json.loads((SAMPLES / "1" / "meaning.json").read_text())
"""What version 1 itself made of its presets, with every default."""


def meaning(text: str) -> dict[str, Any]:
    document = parse_document(read_yaml(text))
    if isinstance(document, Group):
        return {suffix: spec_to_json(spec) for suffix, spec in document.experiments.items()}
    return document.model_dump(mode="json")


def of_version_2(meant: dict[str, Any]) -> dict[str, Any]:
    """What version 1 left to be understood, version 2 writes down; else they are the same."""
    if "version" not in meant:
        return {suffix: of_version_2(spec) for suffix, spec in meant.items()}
    if meant["kind"] == "runtime_study":
        return meant | {"version": 2}
    environment = dict(meant["environment"])
    if environment["id"] == "Pong-v5":
        environment["atari"] = {
            "life_loss_ends_episode": True, "clip_rewards": True, "idle_starts": 30, "sticky_actions": 0.0,
        }  # fmt: skip
    resets = meant["resets"] and meant["resets"] | {"first": meant["resets"]["interval"], "recovery": 0}
    population = meant["population"]
    if population["method"]["name"] == "cem_rl":
        population = population | {"method": population["method"] | {"rule": "fastpbrl"}}
    changed = {"environment": environment, "resets": resets, "population": population}
    return meant | {"version": 2, "search": "none"} | changed


CORRECTED = {
    "dmc15": {"resets"},
    "srsac-cheetah-run": {"resets", "description"},
    "srddpg-cheetah-run": {"resets", "description", "algorithm"},
    "mf-pbt": {
        "description",
        "algorithm",
        "population",
        "replay",
        "budget",
        "evaluation",
        "metrics",
        "checkpoint",
        "execution",
    },
    "td3-cemrl-hopper": {"description", "algorithm", "population", "replay"},
    "td3-pbt-halfcheetah": {"algorithm"},
    "toy-figure2": {"population"},
}
"""What presets say differently now, because the originals do: see docs/differences.md. Also of their smoke variants."""


def without(spec: dict[str, Any], sections: set[str]) -> dict[str, Any]:
    if "version" not in spec:
        return {suffix: without(each, sections) for suffix, each in spec.items()}
    return {name: value for name, value in spec.items() if name not in sections}


def with_todays_defaults(meant: dict[str, Any]) -> dict[str, Any]:
    """What presets leave out, where a default has changed since version 1."""
    if "population" not in meant:
        return meant if "version" in meant else {suffix: with_todays_defaults(spec) for suffix, spec in meant.items()}
    population = dict(meant["population"])
    if "window" in population["method"]:
        population["method"] = population["method"] | {"window": 1000}
    return meant | {"population": population}


def test_every_version_has_its_sample():
    assert sorted(int(file.stem) for file in SAMPLES.glob("*.json")) == list(range(1, CURRENT_VERSION + 1))


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_a_stored_spec_is_lifted_and_keeps_what_it_said(file: Path):
    raw = json.loads(file.read_text())
    spec = parse_spec(raw)
    assert spec.version == CURRENT_VERSION
    assert (spec.name, spec.seed, spec.replicates, spec.population.size) == ("frozen-sample", 7, 2, 8)
    assert upgrade(spec_to_json(spec)) == spec_to_json(spec), "a lifted spec needs no further lifting"
    assert_says(spec_to_json(spec), raw | {"version": CURRENT_VERSION})


@pytest.mark.parametrize("file", PRESETS_OF_1, ids=lambda file: file.stem)
def test_presets_of_version_1_mean_what_they_meant(file: Path):
    assert_says(meaning(file.read_text()), of_version_2(MEANING_OF_1[file.stem]))


@pytest.mark.parametrize("name", ["dqn-pong", "drac-bigfish-smoke"])
def test_policies_of_version_1_are_evaluated_as_they_were(name: str):
    evaluation = meaning((SAMPLES / "1" / f"{name}.yaml").read_text())["evaluation"]
    assert (evaluation["policy"], evaluation["epsilon"]) == ("mode", 0.0)


@pytest.mark.parametrize("file", PRESETS_OF_1, ids=lambda file: file.stem)
def test_presets_were_shortened_without_a_change_of_meaning(file: Path):
    now, then = meaning(load_preset(file.stem).yaml), with_todays_defaults(of_version_2(MEANING_OF_1[file.stem]))
    assert_says(now, without(then, CORRECTED.get(file.stem.removesuffix("-smoke"), set())))


def test_all_that_version_1_left_out_has_its_old_value(raw: dict[str, Any]):
    old = {name: raw[name] for name in ("environment", "algorithm")} | {"version": 1, "name": "old", "kind": "training"}
    old["population"] = {"size": 8, "method": {"name": "mf_pbt", "interval": 10_000, "frequencies": [1, 2]}}
    old["algorithm"] = {"name": "td3"}
    spec = parse_spec(old | {"budget": {"env_steps": 200_000}})
    assert (spec.replay.capacity, spec.replay.ratio, spec.replay.warmup) == (300_000, 1.0, 25_000)
    assert (spec.evaluation.interval, spec.metrics.interval, spec.checkpoint.interval) == (10_000, 1_000, 100_000)
    assert (spec.execution.segment_steps, spec.population.method.burn_in) == (50, 0)
    assert spec.algorithm == type(spec.algorithm)(name="td3"), "nothing is tuned that was not"


def test_the_method_replay_is_called_schedule_now(raw: dict[str, Any]):
    method = {"name": "replay", "schedule": [{"step": 0, "values": {"discount": 0.9}}]}
    spec = parse_spec(raw | {"version": 1, "population": {"size": 2, "method": method}})
    assert spec.population.method.name == "schedule"
    with pytest.raises(SpecInvalid, match="unknown method 'replay'"):
        parse_spec(raw | {"population": {"size": 2, "method": method}})


def test_version_1_made_every_reset_and_explored_with_less_noise(raw: dict[str, Any]):
    old = {name: raw[name] for name in ("environment", "replay", "budget")}
    old |= {"version": 1, "name": "old", "kind": "training", "algorithm": {"name": "ddpg"}, "resets": {"interval": 100}}
    old["population"] = {"size": 2, "method": {"name": "independent"}}
    spec, new = parse_spec(old), parse_spec(old | {"version": 2})
    assert (spec.resets.first, spec.resets.recovery, spec.algorithm.exploration_noise) == (100, 0, 0.1)
    assert (new.resets.first, new.resets.recovery, new.algorithm.exploration_noise) == (100, 50, 0.2)


def test_a_group_of_version_1_is_lifted_experiment_by_experiment(raw: dict[str, Any]):
    base = {name: raw[name] for name in ("environment", "algorithm", "budget", "replay")}
    changes = {"population": {"size": 4, "method": {"name": "pbt", "interval": 10_000}}}
    group = parse_document({"version": 1, "kind": "group", "name": "old", "base": base, "experiments": {"a": changes}})
    spec = group.experiments["a"]
    assert (spec.version, spec.evaluation.interval, spec.population.method.burn_in) == (2, 10_000, 0)


def assert_says(data: Any, said: Any) -> None:
    """All that was said is still so. Fields that came later are in `data` alone, with their defaults."""
    if isinstance(said, dict):
        for key, value in said.items():
            assert_says(data[key], value)
    else:
        assert data == said


def test_a_rule_that_came_later_does_not_hide_the_results_of_an_accepted_spec():
    stored = spec_to_json(parse_spec({"environment": "Pendulum-v1", "algorithm": "sac", "budget": 10_000}))
    stored["algorithm"]["initial_temperature"] = {"uniform": [0.1, 1.0]}
    stored["population"] = {"size": 4, "method": {"name": "pbt", "interval": 1000}}
    with pytest.raises(SpecInvalid, match="initial_temperature"):
        parse_spec(stored)
    assert "initial_temperature" in tuned(parse_accepted(stored).algorithm)
