"""Ray's mutation logs: written as Ray would, and read as far as they tell."""

import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.lineage.ancestry import by_id, living
from phylon.lineage.ray_export import ray_files, ray_zip
from phylon.lineage.ray_import import lineage_of_ray
from phylon.lineage.ray_log import RayLogInvalid


def line(target: str, clone: str, step: int, old: dict, new: dict, clone_step: int | None = None) -> str:
    return json.dumps([target, clone, step, step if clone_step is None else clone_step, old, new]) + "\n"


class TestExport:
    def test_tells_of_every_exploit(self, make_lineage):
        files = ray_files(make_lineage(4, [(2000, 3, 0), (4000, 1, 3), (5000, 1, 1)]))
        first = ["3", "0", 2000, 2000, {"discount": 0.9}, {"discount": 0.904}]
        second = ["1", "3", 4000, 4000, {"discount": 0.904}, {"discount": 0.905}]
        assert {name: list(map(json.loads, text.splitlines())) for name, text in files.items()} == {
            "pbt_global.txt": [first, second],
            "pbt_policy_3.txt": [first],
            "pbt_policy_1.txt": [first, second],  # with its ancestors' history, as Ray copies it
        }

    def test_is_the_same_archive_each_time(self, make_lineage):
        lineage = make_lineage(2, [(1000, 1, 0)])
        assert ray_zip(lineage) == ray_zip(lineage)
        with zipfile.ZipFile(io.BytesIO(ray_zip(lineage))) as archive:
            assert {name: archive.read(name).decode() for name in archive.namelist()} == ray_files(lineage)


class TestImport:
    RAY = line("2_lr=0.1", "0_lr=0.001", 10, {"lr": 0.001, "opt": "adam"}, {"lr": 0.0012, "opt": "adam"}) + line(
        "0_lr=0.001", "2_lr=0.1", 20, {"lr": 0.0012, "opt": "adam"}, {"lr": 0.5, "opt": "sgd"}
    )

    def test_draws_the_tree(self):
        lineage = lineage_of_ray({"results/pbt_global.txt": self.RAY})
        assert [(s.slot, s.parent, s.start_step, s.end_step) for s in lineage.spans] == [
            (0, None, 0, 20),
            (1, None, 0, None),
            (2, None, 0, 10),
            (2, 0, 10, None),
            (0, 3, 20, None),
        ]
        assert lineage.end_step == 30

    def test_knows_what_can_be_known_of_values(self):
        lineage = lineage_of_ray({"pbt_global.txt": self.RAY})
        assert [span.hyperparams for span in lineage.spans] == [
            {"lr": 0.001, "opt": 0},
            {},
            {},
            {"lr": 0.0012, "opt": 0},
            {"lr": 0.5, "opt": 1},
        ]
        assert [span.changes for span in lineage.spans[3:]] == [
            {"lr": "x1.2", "opt": "inherit"},
            {"lr": "changed", "opt": "changed"},
        ]
        rate, optimiser = lineage.tuned
        assert (rate.name, rate.scale, rate.low, rate.high) == ("lr", "log", 0.001, 0.5)
        assert (optimiser.scale, optimiser.names) == ("choice", ["adam", "sgd"])

    def test_puts_policy_files_together(self):
        first, second = self.RAY.splitlines(keepends=True)
        files = {"pbt_policy_x_00002.txt": first, "pbt_policy_x_00000.txt": first + second, "notes.txt": "?"}
        assert lineage_of_ray(files) == lineage_of_ray({"pbt_global.txt": self.RAY})

    def test_nested_and_constant_values(self):
        config = {"model": {"width": 64, "act": "relu"}, "seed": 3}
        text = line("1", "0", 5, config, config | {"model": {"width": 128, "act": "relu"}})
        lineage = lineage_of_ray({"pbt_global.txt": text})
        assert [(tuned.name, tuned.scale) for tuned in lineage.tuned] == [("model.width", "integer")]
        assert lineage.spans[-1].hyperparams == {"model.width": 128, "seed": 3}
        assert lineage.spans[-1].operator == "perturb"

    def test_tags_without_numbers_are_placed_by_appearance(self):
        lineage = lineage_of_ray({"pbt_global.txt": line("b", "a", 5, {"lr": 1}, {"lr": 2})})
        assert [(span.slot, span.parent) for span in lineage.spans] == [(0, None), (1, None), (1, 0)]

    def test_asynchronous_trials_never_run_backwards(self):
        text = line("1", "0", 10, {"lr": 1}, {"lr": 2}, clone_step=12) + line("1", "0", 14, {"lr": 1}, {"lr": 3}, 9)
        lineage = lineage_of_ray({"pb2_global.txt": text})
        assert [(s.start_step, s.end_step) for s in lineage.spans] == [(0, None), (0, 12), (12, 12), (12, None)]

    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ({"readme.txt": ""}, "neither pbt_global.txt nor"),
            ({"pbt_global.txt": "\n"}, "no exploit"),
            ({"pbt_global.txt": "{"}, "pbt_global.txt line 1 is not a JSON list"),
            ({"pbt_global.txt": '\n["1", "0", 1, 1, {}]'}, "line 2 is not a JSON list"),
            ({"pbt_global.txt": '["1", "0", -1, 1, {}, {}]'}, "two iterations"),
            ({"pbt_global.txt": '["1", "0", 1, 1, {}, ' + '{"a":' * 5000 + "}" * 5000 + "]"}, "not a JSON list"),
        ],
    )
    def test_says_what_is_wrong(self, files, message):
        with pytest.raises(RayLogInvalid, match=message):
            lineage_of_ray(files)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_round_trip(draw_lineage, data):
    """What Ray's files can hold comes back: who copied whom when, and to which values."""
    lineage = draw_lineage(data, odd=False)
    files = ray_files(lineage)
    if not files["pbt_global.txt"]:
        return
    read = lineage_of_ray(files)
    originals = by_id(lineage)
    copied = {span.parent for span in lineage.spans if span.parent is not None}
    size = lineage.population_size
    assert len(read.spans) - read.population_size == len(lineage.spans) - size
    for ours, theirs in zip(lineage.spans[size:], read.spans[read.population_size :], strict=True):
        parent, same = originals[ours.parent], by_id(read)[theirs.parent]
        assert (ours.slot, ours.start_step, ours.end_step) == (theirs.slot, theirs.start_step, theirs.end_step)
        assert (parent.slot, parent.start_step, parent.hyperparams) == (same.slot, same.start_step, same.hyperparams)
        assert ours.hyperparams == theirs.hyperparams
    for ours, theirs in zip(lineage.spans[:size], read.spans[: read.population_size], strict=False):
        assert theirs.hyperparams == (ours.hyperparams if ours.id in copied else {})
    assert [member.slot for member in living(read)] == list(range(read.population_size))
