"""Metrics and lineage as CSV and Parquet: what is read back is what was measured."""

import csv
import io
import math
import sys

import numpy as np
import pyarrow.parquet
import pytest

from phylon.contract.events import Diverged
from phylon.export import parquet_format
from phylon.export.csv_format import csv_chunks
from phylon.export.lineage import categories_of, lineage_table
from phylon.export.metrics import metrics_table, series_of_csv, series_of_events
from phylon.export.parquet_format import PyarrowMissing, parquet_chunks
from phylon.lineage.assembly import lineage_of_events
from phylon.series import Series
from phylon.spec import parse_spec, spec_to_json


def read_csv(table):
    return list(csv.DictReader(io.StringIO(b"".join(csv_chunks(table)).decode())))


def read_parquet(table):
    return pyarrow.parquet.read_table(io.BytesIO(b"".join(parquet_chunks(table))))


def metrics_of(run):
    return metrics_table(series_of_events(run.events), run.spec.population.size)


def lineage_of(run):
    lineage = lineage_of_events(run.spec, run.events)
    return lineage_table(lambda: [lineage.spans[:3], lineage.spans[3:]], categories_of(run.spec.algorithm))


def same(left, right) -> bool:
    return left == right or (left != left and right != right)


MEASURED = [
    ("evaluation/return", 16_384, 10.25, 0, 2.5),
    ("evaluation/return", 16_384, 10.25, 1, math.nan),
    ("evaluation/return", 16_384, 10.25, 2, 1.0),
    ("evaluation/return", 16_384, 10.25, 3, -math.inf),
    *(("evaluation/return", 32_768, 20.0, member, math.nan) for member in range(4)),
    ("time/update", 100, 0.5, None, 1 / 3),
    ("time/update", 20_000, 12.0, None, 0.25),
    ("training/value_loss", 100, 0.5, 0, 0.1),
    ("training/value_loss", 100, 0.5, 1, 1e-40),
    ("training/value_loss", 100, 0.5, 2, -0.0),
    ("training/value_loss", 100, 0.5, 3, math.inf),  # beyond 32 bits
    ("training/value_loss", 20_000, 12.0, 0, 123456789.0),
    *(("training/value_loss", 20_000, 12.0, member, member + 1.0) for member in (1, 2, 3)),
]


class TestMetrics:
    def test_as_csv(self, recorded_run):
        rows = read_csv(metrics_of(recorded_run))
        assert [(row["name"], row["step"], row["wall_seconds"], row["member"]) for row in rows] == [
            (name, str(step), repr(wall), "" if member is None else str(member))
            for name, step, wall, member, _ in MEASURED
        ]
        for row, measured in zip(rows, MEASURED, strict=True):
            assert same(np.float32(row["value"]), np.float32(measured[4])), row
        assert [row["value"] for row in rows[10:12]] == ["0.1", "1e-40"], "as many digits as 32 bits need"
        assert rows[12]["value"] == "-0.0"

    def test_as_parquet(self, recorded_run):
        table = read_parquet(metrics_of(recorded_run))
        assert [(field.name, str(field.type)) for field in table.schema] == [
            ("name", "string"), ("step", "int64"), ("wall_seconds", "double"), ("member", "int64"), ("value", "float"),
        ]  # fmt: skip
        rows = [tuple(row.values()) for row in table.to_pylist()]
        assert [row[:4] for row in rows] == [row[:4] for row in MEASURED]
        assert table["value"].null_count == 0, "NaN is a value"
        assert all(same(np.float32(row[4]), np.float32(true[4])) for row, true in zip(rows, MEASURED, strict=True))

    def test_series_come_back_from_csv(self, recorded_run):
        lines = b"".join(csv_chunks(metrics_of(recorded_run))).decode().splitlines()
        again = dict(series_of_csv(lines))
        for name, series in series_of_events(recorded_run.events):
            np.testing.assert_array_equal(again[name].steps, series.steps)
            np.testing.assert_array_equal(again[name].wall, series.wall)
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(
                    again[name].values.astype(np.float32), series.values.astype(np.float32), strict=True
                )
        assert len(again) == 3

    def test_a_population_of_one_still_has_a_member(self):
        one = Series(np.array([1]), np.array([0.5]), np.array([[7.0]]))
        rows = read_csv(metrics_table([("evaluation/return", one), ("speed/updates_per_second", one)], 1))
        assert [row["member"] for row in rows] == ["0", ""]

    @pytest.mark.parametrize("chunks", [csv_chunks, parquet_chunks])
    def test_a_long_run_comes_in_pieces(self, chunks):
        ticks = 250_000
        long = Series(np.arange(ticks), np.zeros(ticks), np.arange(2.0 * ticks).reshape(-1, 2))
        pieces = list(chunks(metrics_table([("training/q_value", long)], 2)))
        assert len(pieces) > 2 and max(map(len, pieces)) < sum(map(len, pieces)) / 1.5
        if chunks is parquet_chunks:
            table = pyarrow.parquet.read_table(io.BytesIO(b"".join(pieces)))
            np.testing.assert_array_equal(table["value"].to_numpy(), np.arange(2 * ticks, dtype=np.float32))

    def test_nothing_measured_is_a_table_without_rows(self):
        assert read_csv(metrics_table([], 4)) == []
        assert read_parquet(metrics_table([], 4)).num_rows == 0


class TestLineage:
    def test_as_csv(self, recorded_run):
        rows = read_csv(lineage_of(recorded_run))
        assert list(rows[0]) == [
            "span", "member", "parent", "operator", "start_step", "end_step", "start_wall_seconds", "fitness",
            "parent_fitness", "rank", "weights", "diverged_step", "diverged_metric", "diverged_value",
            "hyperparams.learning_rate", "hyperparams.augmentation",
            "before.learning_rate", "before.augmentation",
            "change.learning_rate", "change.augmentation", "change.actor", "reason.predicted_mean", "reason.mix",
        ]  # fmt: skip
        assert [(row["span"], row["member"], row["parent"], row["end_step"]) for row in rows] == [
            ("0", "0", "", "32768"), ("1", "1", "", "16384"), ("2", "2", "", ""), ("3", "3", "", ""),
            ("4", "1", "0", ""), ("5", "0", "0", ""),
        ]  # fmt: skip
        assert [row["hyperparams.augmentation"] for row in rows] == ["crop", "flip", "crop", "flip", "crop", "crop"]
        child, reset = rows[4:]
        assert float(child["hyperparams.learning_rate"]) == 1.2e-4
        assert (child["before.augmentation"], child["change.learning_rate"]) == ("crop", "x1.2")
        assert (child["fitness"], child["parent_fitness"]) == ("nan", "2.5")
        assert (child["reason.predicted_mean"], child["reason.mix"]) == ("0.25", "nan")
        assert (reset["reason.predicted_mean"], reset["reason.mix"]) == ("", ""), "nothing was known"
        assert (rows[0]["before.augmentation"], rows[0]["fitness"]) == ("", ""), "a founder came from nothing"
        assert (reset["change.actor"], reset["change.learning_rate"], reset["fitness"]) == ("reset", "", "-inf")

    def test_as_parquet(self, recorded_run):
        table = read_parquet(lineage_of(recorded_run))
        plain = read_csv(lineage_of(recorded_run))
        assert table.column_names == list(plain[0])
        for row, text in zip(table.to_pylist(), plain, strict=True):
            assert {name: "" if value is None else str(value) for name, value in row.items()} == text
        assert str(table.schema.field("hyperparams.learning_rate").type) == "double"
        assert str(table.schema.field("reason.mix").type) == "double"
        assert table["fitness"].null_count == 4 and math.isnan(table["fitness"][4].as_py())

    def test_a_category_that_is_the_same_for_all_has_its_name_too(self, recorded_run):
        raw = spec_to_json(recorded_run.spec)
        raw["algorithm"]["augmentation"] = "flip"
        rows = read_csv(lineage_of(recorded_run._replace(spec=parse_spec(raw))))
        assert rows[1]["hyperparams.augmentation"] == "flip"


def test_without_pyarrow_the_remedy_is_named_before_anything_is_written(recorded_run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(PyarrowMissing, match=r"pip install 'phylon\[export\]'"):
        parquet_format.parquet_chunks(metrics_of(recorded_run))


def test_a_member_that_diverged(recorded_run):
    step = recorded_run.events[-1].step
    broken = {"kind": "diverged", "seq": 0, "step": step, "wall": 0.0, "member": 1, "metric": "critic_loss"}
    spans = lineage_of_events(recorded_run.spec, recorded_run.events).spans
    [living] = [span.id for span in spans if span.slot == 1 and span.end_step is None]
    event = Diverged(**broken, span=living, value=math.inf, hyperparams={})
    lineage = lineage_of_events(recorded_run.spec, [*recorded_run.events, event])
    rows = read_csv(lineage_table(lambda: [lineage.spans], categories_of(recorded_run.spec.algorithm)))
    columns = ("diverged_step", "diverged_metric", "diverged_value")
    found = {int(row["span"]): tuple(row[name] for name in columns) for row in rows}
    assert found.pop(living) == (str(step), "critic_loss", "inf")
    assert set(found.values()) == {("", "", "")}
