"""presets, environments, validate: what the user reads, and the exit codes that a script sees."""

import json
from pathlib import Path

import pytest
import yaml

from phylon.presets import list_presets, load_preset
from phylon.spec import parse_yaml

SMOKE = "td3-pbt-pendulum-smoke"


class TestPresets:
    def test_lists_all(self, phylon):
        output = phylon("presets").stdout
        assert all(preset.name in output for preset in list_presets())

    def test_prints_the_yaml_as_written(self, phylon):
        result = phylon("presets", SMOKE)
        assert result.stdout.rstrip() == load_preset(SMOKE).yaml.rstrip()
        assert parse_yaml(result.stdout).name == SMOKE

    def test_unknown(self, phylon):
        result = phylon("presets", "td3-pbt-pendulum")
        assert result.exit_code == 2
        assert f"did you mean {SMOKE}" in result.stderr


class TestEnvironments:
    def test_search(self, phylon):
        result = phylon("environments", "--suite", "gymnasium", "--search", "cheetah", "--json")
        entries = json.loads(result.stdout)
        assert "HalfCheetah-v5" in [entry["id"] for entry in entries]
        assert all("cheetah" in entry["id"].lower() for entry in entries)

    def test_search_by_family(self, phylon):
        found = json.loads(phylon("environments", "--suite", "envpool", "--search", "procgen", "--json").stdout)
        assert {"BigfishEasy-v0", "BigfishHard-v0", "MazeEasy-v0"} < {entry["id"] for entry in found}
        assert {(entry["family"], entry["action"]["n"]) for entry in found} == {("procgen", 15)}

    def test_table(self, phylon):
        table = phylon("environments", "--search", "HalfCheetah-v5").stdout
        assert "17 float64" in table
        assert all(suite in table for suite in ("gymnasium", "envpool", "mjx"))

    def test_unknown_suite(self, phylon):
        result = phylon("environments", "--suite", "gym")
        assert result.exit_code == 2
        assert "use one of brax, envpool, gymnasium" in result.stderr


class TestValidate:
    def test_preset(self, phylon):
        result = phylon("validate", SMOKE)
        assert result.exit_code == 0
        assert "trains 8 td3 members on Pendulum-v1" in result.stdout
        assert "such members have room" in result.stdout

    def test_file_and_standard_input(self, phylon, tmp_path: Path):
        file = tmp_path / "spec.yaml"
        file.write_text(load_preset(SMOKE).yaml)
        assert phylon("validate", str(file)).exit_code == 0
        assert phylon("validate", "-", input=file.read_text()).exit_code == 0

    def test_json_of_a_valid_spec_is_complete(self, phylon):
        report = json.loads(phylon("validate", SMOKE, "--set", "seed=3", "--json").stdout)
        assert report["valid"] and report["spec"]["seed"] == 3 and report["spec"]["algorithm"]["target_rate"] == 0.005

    def test_every_problem_with_path_value_and_remedy(self, phylon):
        result = phylon("validate", SMOKE, "--set", "algorithm.discont=0.9", "--set", "seed=-1")
        assert result.exit_code == 2
        assert result.stdout == ""
        for words in ("2 problems", "algorithm.discont", "got 0.9", "did you mean 'discount'?", "seed", "got -1"):
            assert words in result.stderr

    def test_json_of_an_invalid_spec(self, phylon):
        result = phylon("validate", SMOKE, "--set", "environment.id=Pendulum-v9", "--json")
        assert result.exit_code == 2
        (problem,) = json.loads(result.stdout)["problems"]
        assert problem["path"] == "environment.id" and "Pendulum-v1" in problem["remedy"]

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("no-such-file.yaml", "there is no file 'no-such-file.yaml'"),
            ("folder/spec", "there is no file 'folder/spec'"),
            ("td3-pbt-pendulum", f"did you mean {SMOKE}"),
            (".", "cannot be read"),
        ],
    )
    def test_nothing_to_read(self, phylon, source: str, message: str):
        result = phylon("validate", source)
        assert result.exit_code == 2
        assert message in result.stderr

    def test_a_file_that_is_no_text(self, phylon, tmp_path: Path):
        (tmp_path / "weights.npz").write_bytes(b"\xff\xfe\x00")
        result = phylon("validate", str(tmp_path / "weights.npz"))
        assert result.exit_code == 2
        assert "not a text in UTF-8" in result.stderr

    @pytest.mark.parametrize(
        ("override", "message"),
        [
            ("seed", "does not say path=value"),
            ("=3", "does not say path=value"),
            ("algorithm..discount=3", "does not say path=value"),
            ("name.value=3", f"name is '{SMOKE}', which has no 'value'; set name as a whole"),
            ("algorithm.network.hidden.7=3", "algorithm.network.hidden is a list of 2; use a number below 2"),
            ("algorithm.discount={uniform: [0.9", "not valid YAML"),
            ("nothing.here=1", "unknown field 'nothing'"),
            ("algorithm.discount=often", "write a number such as 0.001 or 1e-3"),
        ],
    )
    def test_a_wrong_override(self, phylon, override: str, message: str):
        result = phylon("validate", SMOKE, "--set", override)
        assert result.exit_code == 2
        assert message in result.stderr

    def test_overrides_of_all_kinds(self, phylon):
        overrides = ["algorithm.discount=0.98", "algorithm.network.hidden.0=32", "replicates=2", "replay={warmup: 500}"]
        arguments = [word for override in overrides for word in ("--set", override)]
        spec = json.loads(phylon("validate", SMOKE, "--json", *arguments).stdout)["spec"]
        assert spec["algorithm"]["discount"] == 0.98
        assert spec["algorithm"]["network"]["hidden"] == [32, 64]
        assert spec["replicates"] == 2
        assert spec["replay"]["warmup"] == 500

    def test_a_path_into_a_short_form(self, phylon):
        overrides = ["--set", "environment.envs_per_member=2", "--set", "budget=24k"]
        spec = json.loads(phylon("validate", SMOKE, "--json", *overrides).stdout)["spec"]
        assert spec["environment"]["envs_per_member"] == 2
        assert spec["budget"]["env_steps"] == 24_000

    def test_resolved_is_a_spec_that_means_the_same(self, phylon):
        text = "environment: HalfCheetah-v5\nalgorithm: td3\npopulation: 8\nbudget: 1_000_000\n"
        result = phylon("validate", "-", "--resolved", input=text)
        assert result.exit_code == 0
        assert parse_yaml(result.stdout) == parse_yaml(text)
        assert "evaluation: {interval: 10000, episodes: 10, policy: mode" in result.stdout
        assert "note: environment.suite: gymnasium is used" in result.stderr

    def test_notes(self, phylon):
        result = phylon("validate", SMOKE, "--set", "budget=12_010", "--set", "execution.segment_steps=50", "--json")
        report = json.loads(result.stdout)
        assert report["spec"]["budget"]["env_steps"] == 12_050
        assert "budget.env_steps" in [note["path"] for note in report["notes"]]

    def test_resolved_group_is_a_document_for_each_experiment(self, phylon):
        documents = list(yaml.safe_load_all(phylon("validate", "toy-figure2", "--resolved").stdout))
        assert [document["name"] for document in documents] == [
            "toy-figure2-pbt", "toy-figure2-explore-only", "toy-figure2-exploit-only", "toy-figure2-grid",
        ]  # fmt: skip


class TestValidateAGroup:
    def test_preset(self, phylon):
        result = phylon("validate", "dmc15")
        assert result.exit_code == 0
        assert "dmc15 is a group of 15 experiments" in result.stdout
        assert "dmc15-fish-swim trains 10 sac members on FishSwim-v1" in result.stdout

    def test_overrides_and_json(self, phylon):
        report = json.loads(phylon("validate", "dmc15", "--set", "base.replay.ratio=8", "--json").stdout)
        assert report["valid"] and report["spec"]["base"]["replay"]["ratio"] == 8

    def test_problems_are_said_where_they_are(self, phylon):
        result = phylon("validate", "dmc15", "--set", "experiments.cheetah-run={environment.id: CheetahRn-v1}")
        assert result.exit_code == 2
        assert "1 problem" in result.stderr and "experiments.cheetah-run.environment.id" in result.stderr
        assert "CheetahRun-v1" in result.stderr


class TestExitCodesOfTheRealCommand:
    """In a process of its own, as a script calls it."""

    def test_ok(self, shell):
        assert shell("validate", SMOKE).returncode == 0

    def test_bad_input(self, shell):
        assert shell("validate", "-", input="version: 1\n").returncode == 2

    def test_wrong_usage(self, shell):
        assert shell("train").returncode == 2
        assert shell("frobnicate").returncode == 2

    def test_unreachable(self, shell):
        result = shell("list")
        assert result.returncode == 3
        assert "http://127.0.0.1:9" in result.stderr and "phylon up" in result.stderr
