"""A spec stored by any release can be read for ever, and means what it meant: frozen samples of each version."""

import json
from pathlib import Path
from typing import Any

import pytest

from phylon.presets import load_preset
from phylon.spec import Group, SpecInvalid, parse_document, parse_spec, read_yaml, spec_to_json
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
    return meant | {"version": 2, "search": "none", "environment": environment}


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


def test_the_newest_sample_is_complete():
    raw = json.loads((SAMPLES / f"{CURRENT_VERSION}.json").read_text())
    assert spec_to_json(parse_spec(raw)) == raw


@pytest.mark.parametrize("file", PRESETS_OF_1, ids=lambda file: file.stem)
def test_presets_of_version_1_mean_what_they_meant(file: Path):
    assert meaning(file.read_text()) == of_version_2(MEANING_OF_1[file.stem])


@pytest.mark.parametrize("file", PRESETS_OF_1, ids=lambda file: file.stem)
def test_presets_were_shortened_without_a_change_of_meaning(file: Path):
    assert meaning(load_preset(file.stem).yaml) == of_version_2(MEANING_OF_1[file.stem])


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


def test_a_group_of_version_1_is_lifted_experiment_by_experiment(raw: dict[str, Any]):
    base = {name: raw[name] for name in ("environment", "algorithm", "budget", "replay")}
    changes = {"population": {"size": 4, "method": {"name": "pbt", "interval": 10_000}}}
    group = parse_document({"version": 1, "kind": "group", "name": "old", "base": base, "experiments": {"a": changes}})
    spec = group.experiments["a"]
    assert (spec.version, spec.evaluation.interval, spec.population.method.burn_in) == (2, 10_000, 0)


def assert_says(data: Any, said: Any) -> None:
    if isinstance(said, dict):
        for key, value in said.items():
            assert_says(data[key], value)
    else:
        assert data == said
