"""Loggers: every event once, also over interruptions; read by the programs that they are for."""

from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from phylon.contract.events import Lineage, Metrics, RunEvent, Span, Started
from phylon.loggers import loggers
from phylon.loggers.following import Following
from phylon.loggers.logger import LoggedRun, Logger, Record
from phylon.loggers.tensorboard import TENSORBOARD
from phylon.spool import SPOOL_FILE, SpoolWriter, cut_spool

BEGAN = 1_700_000_000.0


def started(seq: int, step: int) -> RunEvent:
    about: dict[str, Any] = {
        "strategy": "vectorized",
        "explanation": "",
        "devices": [],
        "versions": {},
        "parameters": 1,
    }
    return Started(kind="started", seq=seq, step=step, wall=0.0, resumed=step > 0, **about)


def tick(seq: int, step: int, *values: float) -> RunEvent:
    frames = {"evaluation/return": list(values), "speed/env_steps_per_second": [5.0]}
    return Metrics(kind="metrics", seq=seq, step=step, wall=step / 10, frames=frames)


def births(seq: int) -> RunEvent:
    unknown = dict.fromkeys(("parent", "hyperparams_before", "fitness", "parent_fitness", "rank"))
    spans = [
        Span.model_validate(
            {"id": slot, "slot": slot, "operator": "founder", "changes": {}, "weights": "00", "reasons": {}}
            | unknown
            | {"hyperparams": {"discount": 0.9 + slot / 100}}
        )
        for slot in range(2)
    ]
    return Lineage(kind="lineage", seq=seq, step=0, wall=0.0, spans=spans)


@pytest.fixture
def run(tmp_path: Path) -> LoggedRun:
    return LoggedRun("tiny", tmp_path, 2, {"name": "tiny"}, 3, BEGAN)


def append(run: LoggedRun, *events: RunEvent) -> None:
    with SpoolWriter(run.folder / SPOOL_FILE, events[0].seq) as spool:
        for event in events:
            spool.append(event)


def taken_up_after_a_loss(run: LoggedRun, logger: Logger) -> None:
    """Three ticks are recorded, then the run goes on from a checkpoint at step 20 and reports the third again."""
    first = Following(run, [logger])
    append(run, started(0, 0), births(1), tick(2, 10, 1.0, 2.0), tick(3, 20, 3.0, 4.0))
    first.catch_up()
    append(run, tick(4, 30, 5.0, 6.0))
    first.close()
    second = Following(run, [logger])  # reads what is past before the trainer cuts it
    second.catch_up()
    cut_spool(run.folder / SPOOL_FILE, 4)
    append(run, started(4, 20), tick(5, 30, 7.0, 8.0))
    second.catch_up()
    append(run, tick(6, 40, 9.0, 10.0))
    second.close()


def test_a_logger_gets_every_event_once_and_hears_where_history_was_cut(run: LoggedRun):
    heard: list[tuple[str, int]] = []

    def open_record(opened: LoggedRun) -> Record:
        heard.append(("open", opened.population_size))
        return Record(
            lambda event: heard.append((event.kind, event.step)),
            lambda step: heard.append(("restart", step)),
            lambda: heard.append(("close", 0)),
            "look",
        )

    taken_up_after_a_loss(run, Logger("heard", "for this test", open_record))
    assert heard == [
        *[("open", 2), ("started", 0), ("lineage", 0), ("metrics", 10), ("metrics", 20), ("metrics", 30), ("close", 0)],
        *[("open", 2), ("restart", 20), ("started", 20), ("metrics", 30), ("metrics", 40), ("close", 0)],
    ]


def test_tensorboard_shows_one_record_per_population_without_what_was_cut(run: LoggedRun):
    taken_up_after_a_loss(run, TENSORBOARD)
    reader = EventAccumulator(str(run.folder / "tensorboard" / "member-01"), size_guidance={"scalars": 0})
    reader.Reload()
    values = [(event.step, event.wall_time, event.value) for event in reader.Scalars("evaluation/return")]
    assert values == [(10, BEGAN + 1, 2.0), (20, BEGAN + 2, 4.0), (30, BEGAN + 3, 8.0), (40, BEGAN + 4, 10.0)]
    reader = EventAccumulator(str(run.folder / "tensorboard" / "population"), size_guidance={"tensors": 0})
    reader.Reload()
    assert [event.value for event in reader.Scalars("evaluation/return/best")] == [2.0, 4.0, 8.0, 10.0]
    assert [event.value for event in reader.Scalars("speed/env_steps_per_second")] == [5.0] * 4
    [text] = reader.Tensors("lineage")
    [table] = text.tensor_proto.string_val
    assert table.decode().splitlines()[-1] == "| 1 | 1 |  | founder | 0.91 |"
    assert reader.SummaryMetadata("lineage").plugin_data.plugin_name == "text"


def test_half_a_record_that_a_killed_process_left_is_cut_off(run: LoggedRun):
    append(run, started(0, 0), tick(1, 10, 1.0, 2.0))
    Following(run, [TENSORBOARD]).close()
    file = next((run.folder / "tensorboard" / "member-00").iterdir())
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    Following(run, [TENSORBOARD]).close()
    assert file.read_bytes() == whole


def test_our_loggers_are_entry_points_and_say_what_they_are():
    assert {"tensorboard", "wandb", "mlflow"} <= set(loggers())
    assert all(len(logger.meaning) > 20 for logger in loggers().values())


def test_weights_and_biases_continues_one_run_offline(run: LoggedRun, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    taken_up_after_a_loss(run, loggers()["wandb"])
    parts = sorted((run.folder / "wandb").glob("offline-run-*"))
    assert len({part.name.rpartition("-")[2] for part in parts}) == 1, "one run, however many sessions"
    tables = [file.read_text() for file in run.folder.glob("wandb/offline-run-*/files/media/table/lineage_*.json")]
    assert tables and all('"discount=0.91"' in table for table in tables)


def test_mlflow_continues_one_run_in_a_local_store(run: LoggedRun, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from mlflow import tracking

    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database needs more packages than the client
    taken_up_after_a_loss(run, loggers()["mlflow"])
    client = tracking.MlflowClient()
    [one] = client.search_runs([client.get_experiment_by_name("phylon").experiment_id])
    history = client.get_metric_history(one.info.run_id, "evaluation/return/member-01")
    assert [(point.step, point.value) for point in history] == [(10, 2.0), (20, 4.0), (30, 6.0), (30, 8.0), (40, 10.0)]
    assert one.info.status == "FINISHED"
    [table] = list((tmp_path / "mlruns").rglob("lineage.csv"))
    assert table.read_text().splitlines()[1:] == ["0,0,,founder,0,discount=0.9", "1,1,,founder,0,discount=0.91"]
