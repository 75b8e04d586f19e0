"""Every preset is a valid spec under its own file name, and each full one has a smoke variant of itself."""

import pytest

from phylon.presets import Preset, PresetUnknown, list_presets, load_preset
from phylon.spec import parse_yaml

PRESETS = list_presets()


def test_the_first_preset_is_the_newcomers():
    assert PRESETS[0].name == "td3-pbt-pendulum-smoke"
    assert {preset.name for preset in PRESETS} >= {"td3-pbt-halfcheetah", "td3-pbt-halfcheetah-smoke"}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_valid_and_named_like_its_file(preset: Preset):
    spec = parse_yaml(preset.yaml)
    assert spec.name == preset.name
    assert spec.description == preset.description != ""
    assert preset.smoke == preset.name.endswith("-smoke")
    assert load_preset(preset.name) == preset


@pytest.mark.parametrize("preset", [p for p in PRESETS if not p.smoke], ids=lambda preset: preset.name)
def test_a_smoke_variant_is_the_same_experiment_made_small(preset: Preset):
    full, smoke = parse_yaml(preset.yaml), parse_yaml(load_preset(preset.name + "-smoke").yaml)
    assert smoke.algorithm == full.algorithm
    assert smoke.environment == full.environment
    small, large = smoke.population.method.model_dump(), full.population.method.model_dump()
    assert small == large | {"interval": small["interval"]} if "interval" in large else small == large
    assert smoke.budget.env_steps * smoke.population.size * 5 < full.budget.env_steps * full.population.size


@pytest.mark.parametrize("name", ["td3-pbt-halfcheetah", "sac-pbt-halfcheetah", "srsac-cheetah-run", "dqn-pong"])
def test_what_is_meant_for_a_gpu_has_a_smoke_variant_for_a_minute(name: str):
    full, smoke = parse_yaml(load_preset(name).yaml), parse_yaml(load_preset(name + "-smoke").yaml)
    assert smoke.budget.env_steps * smoke.population.size * 1000 < full.budget.env_steps * full.population.size


def test_halfcheetah_is_at_the_papers_scale():
    spec = parse_yaml(load_preset("td3-pbt-halfcheetah").yaml)
    assert (spec.population.size, spec.budget.env_steps, spec.population.method.interval) == (80, 3_000_000, 100_000)
    assert (spec.replay.capacity, spec.replay.warmup, spec.replay.ratio) == (300_000, 25_000, 1.0)
    assert (spec.evaluation.interval, spec.evaluation.episodes, spec.algorithm.batch_size) == (10_000, 10, 256)


def test_a_misspelt_name_gets_the_close_ones():
    with pytest.raises(PresetUnknown, match="did you mean td3-pbt-halfcheetah"):
        load_preset("td3-pbt-halfcheeta")
    with pytest.raises(PresetUnknown, match="`phylon presets` lists them"):
        load_preset("zzzzzz")
