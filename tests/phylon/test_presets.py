"""Every preset is a valid spec or group under its own file name, and each full one has a smoke variant of itself."""

import pytest

from phylon.catalogue import find
from phylon.presets import Preset, PresetUnknown, list_presets, load_preset
from phylon.spec import (
    ExperimentSpec,
    Group,
    RuntimeStudySpec,
    parse_document,
    parse_group,
    parse_study,
    parse_yaml,
    read_yaml,
    tuned,
)
from phylon.spec.algorithms.drac import AUGMENTATION_NAMES, DrACSpec

PRESETS = list_presets()

SHRUNK = {"drac": {"rollout_steps", "network", "envs_per_member"}}
"""One rollout of the paper's would take minutes on two cores."""


def experiments(name: str) -> dict[str, ExperimentSpec]:
    """Those of a preset: of a group by the end of their name, else the only one."""
    document = parse_document(read_yaml(load_preset(name).yaml))
    assert not isinstance(document, RuntimeStudySpec)
    return document.experiments if isinstance(document, Group) else {"": document}


def test_the_first_preset_is_the_newcomers():
    assert PRESETS[0].name == "td3-pbt-pendulum-smoke"
    assert {preset.name for preset in PRESETS} >= {"td3-pbt-halfcheetah", "td3-pbt-halfcheetah-smoke"}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_valid_and_named_like_its_file(preset: Preset):
    document = parse_document(read_yaml(preset.yaml))
    spec = document.spec if isinstance(document, Group) else document
    assert (spec.name, spec.kind) == (preset.name, preset.kind)
    assert spec.description == preset.description != ""
    assert preset.experiments == (len(document.experiments) if isinstance(document, Group) else None)
    assert preset.smoke == preset.name.endswith("-smoke")
    assert load_preset(preset.name) == preset


@pytest.mark.parametrize(
    "preset", [p for p in PRESETS if not p.smoke and p.kind != "runtime_study"], ids=lambda preset: preset.name
)
def test_a_smoke_variant_is_the_same_experiment_made_small(preset: Preset):
    large_ones, small_ones = experiments(preset.name), experiments(preset.name + "-smoke")
    assert list(large_ones) == list(small_ones)
    for full, smoke in zip(large_ones.values(), small_ones.values(), strict=True):
        for large, small in [(full.algorithm, smoke.algorithm), (full.environment, smoke.environment)]:
            smaller = SHRUNK.get(full.algorithm.name, set()) & set(type(large).model_fields)
            assert small == large.model_copy(update={name: getattr(small, name) for name in smaller})
        small, large = smoke.population.method.model_dump(), full.population.method.model_dump()
        assert small == large | {"interval": small["interval"]} if "interval" in large else small == large
        assert smoke.budget.env_steps * smoke.population.size * 5 < full.budget.env_steps * full.population.size


@pytest.mark.parametrize("name", ["figure2-td3-sac", "figure2-dqn"])
def test_figure_2_has_the_papers_grid_and_a_smoke_variant_of_a_few_cells(name: str):
    full, smoke = (parse_study(read_yaml(load_preset(name + suffix).yaml)) for suffix in ("", "-smoke"))
    assert full.population_sizes == tuple(range(1, 41))
    assert {"sequential", "parallel", "vectorized"} <= set(full.strategies)
    assert full.frameworks == smoke.frameworks == ("jax", "torch")
    assert full.algorithms == smoke.algorithms
    assert len(smoke.cells()) * 20 < len(full.cells())


@pytest.mark.parametrize(
    "name", ["td3-pbt-halfcheetah", "sac-pbt-halfcheetah", "srsac-cheetah-run", "dqn-pong", "drac-bigfish"]
)
def test_what_is_meant_for_a_gpu_has_a_smoke_variant_for_a_minute(name: str):
    full, smoke = parse_yaml(load_preset(name).yaml), parse_yaml(load_preset(name + "-smoke").yaml)
    assert smoke.budget.env_steps * smoke.population.size * 1000 < full.budget.env_steps * full.population.size


def test_halfcheetah_is_at_the_papers_scale():
    spec = parse_yaml(load_preset("td3-pbt-halfcheetah").yaml)
    assert (spec.population.size, spec.budget.env_steps, spec.population.method.interval) == (80, 3_000_000, 100_000)
    assert (spec.replay.capacity, spec.replay.warmup, spec.replay.ratio) == (300_000, 25_000, 1.0)
    assert (spec.evaluation.interval, spec.evaluation.episodes, spec.algorithm.batch_size) == (10_000, 10, 256)


def test_dmc15_is_sr_sac_on_fifteen_tasks_of_dm_control():
    group = parse_group(read_yaml(load_preset("dmc15").yaml))
    single = parse_yaml(load_preset("srsac-cheetah-run").yaml)
    assert len({spec.environment.id for spec in group.experiments.values()}) == 15
    for suffix, spec in group.experiments.items():
        entry = find("envpool", spec.environment.id)
        assert entry and entry.family == "dm_control" and entry.max_episode_steps == 1000
        assert spec.environment.id.lower() == suffix.replace("-", "").replace("_", "") + "-v1"
        same = {"name": spec.name, "description": spec.description, "environment": spec.environment}
        assert spec == single.model_copy(update=same)


def test_bigfish_is_at_the_papers_scale():
    spec = parse_yaml(load_preset("drac-bigfish").yaml)
    assert (spec.population.size, spec.environment.envs_per_member, spec.algorithm.rollout_steps) == (4, 64, 256)
    assert spec.environment.procgen.levels == 200
    numbers = set(tuned(spec.algorithm))
    assert numbers == {"learning_rate", "clip", "entropy_coefficient", "augmentation", "augmentation_coefficient"}
    assert spec.algorithm.model_dump(exclude=numbers) == DrACSpec(name="drac").model_dump(exclude=numbers)
    assert set(spec.algorithm.augmentation.choice) == set(AUGMENTATION_NAMES)
    assert spec.population.method.interval * 50 == spec.budget.env_steps


def test_a_misspelt_name_gets_the_close_ones():
    with pytest.raises(PresetUnknown, match="did you mean td3-pbt-halfcheetah"):
        load_preset("td3-pbt-halfcheeta")
    with pytest.raises(PresetUnknown, match="`phylon presets` lists them"):
        load_preset("zzzzzz")
