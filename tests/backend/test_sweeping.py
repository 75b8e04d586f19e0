"""What is deleted is gone at once for all who look, and in small steps from the disk. So is what belongs to nothing."""

import dataclasses
import hashlib
import os
import threading
import time
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, text

from phylon.backend.kit import clock
from phylon.backend.logs import service as logs
from phylon.backend.models import Artifact, Event, Experiment, Group, Job, LogLine, MetricColumn, MetricTick, Run
from phylon.backend.models.deletable import INCLUDE_DELETED
from phylon.backend.sweeping import repository
from phylon.backend.sweeping import service as sweeping
from phylon.backend.sweeping.sweeper import Sweeper
from phylon.worker.supervisor.service import Service
from phylon.worker.supervisor.sweep import sweep as sweep_folders

STOPPED = {"kind": "stopped", "seq": 0, "step": 1, "wall": 0.2}
EMPTY_SHA256 = hashlib.sha256().hexdigest()


def count(context, table):
    with context.database.read() as session:
        statement = select(func.count()).select_from(table)
        return session.scalar(statement, execution_options={INCLUDE_DELETED: True})


def end(worker, run_id):
    """Takes the run, stores a file, and stops."""
    attempt = worker.take(run_id)
    artifact = worker.upload(run_id, attempt, "000001.npz", b"", EMPTY_SHA256).json()["artifact_id"]
    assert worker.report(run_id, attempt, [STOPPED]).status_code == 200
    return artifact


def fill(context, run_id, ticks, columns=0):
    row = {"run_id": run_id, "step": 1, "wall": 0.0, "data": b"\0" * 64}
    with context.database.write() as session:
        for start in range(0, ticks, 50_000):
            rows = [row | {"seq": seq} for seq in range(start, min(ticks, start + 50_000))]
            session.execute(insert(MetricTick), rows)
        if columns:
            column = {"run_id": run_id, "name": "a", "level": 0, "data": b"\0" * 64}
            session.execute(insert(MetricColumn), [column | {"row": row} for row in range(columns)])


def test_what_is_deleted_is_invisible_before_it_is_swept(client, context, submit, worker):
    experiment = submit()
    other = submit(name="other")
    run_id = experiment["runs"][0]["id"]
    job_id = worker.job_id(run_id)
    artifact = end(worker, run_id)
    assert client.delete(f"/api/v1/experiments/{experiment['id']}").status_code == 204
    assert count(context, Run) == 2, "nothing is swept yet"
    for path in (
        f"experiments/{experiment['id']}",
        f"runs/{run_id}",
        f"runs/{run_id}/artifacts",
        f"runs/{run_id}/lineage",
        f"runs/{run_id}/logs",
        f"runs/{run_id}/metrics?name=a",
        f"artifacts/{artifact}/content",
    ):
        assert client.get(f"/api/v1/{path}").status_code == 404, path
    listed = client.get("/api/v1/experiments").json()
    assert ([item["id"] for item in listed["items"]], listed["total"]) == ([other["id"]], 1)
    assert client.get("/api/v1/experiments", params={"status": "stopped"}).json()["total"] == 0
    assert client.delete(f"/api/v1/experiments/{experiment['id']}").status_code == 404
    late = worker.post(f"/jobs/{job_id}/heartbeat", {"attempt": 1, "events": [], "logs": []})
    assert late.status_code == 404


def test_a_deleted_group_takes_all_it_has(client, context, spec, sweep):
    base = {name: value for name, value in spec.items() if name not in ("version", "kind", "name")}
    group = {"version": 1, "name": "pair", "kind": "group", "base": base, "experiments": {"a": {}, "b": {"seed": 2}}}
    answer = client.post("/api/v1/groups", json={"spec": group})
    assert answer.status_code == 201, answer.text
    id = answer.json()["id"]
    client.post(f"/api/v1/groups/{id}/stop")
    assert client.delete(f"/api/v1/groups/{id}").status_code == 204
    assert client.get(f"/api/v1/groups/{id}").status_code == 404
    assert client.get("/api/v1/groups").json()["total"] == client.get("/api/v1/experiments").json()["total"] == 0
    sweep()
    assert [count(context, table) for table in (Group, Experiment, Run, Job)] == [0, 0, 0, 0]


def test_a_transaction_removes_few_rows(client, context, submit, worker):
    experiment = submit()
    run_id = experiment["runs"][0]["id"]
    end(worker, run_id)
    fill(context, run_id, 3 * repository.BATCH_ROWS, 3 * repository.BATCH_COLUMNS)
    client.delete(f"/api/v1/experiments/{experiment['id']}")
    left, columns = [count(context, MetricTick)], [count(context, MetricColumn)]
    while count(context, Job):
        assert sweeping.sweep_deleted(context)
        left.append(count(context, MetricTick))
        columns.append(count(context, MetricColumn))
    assert all(before - after <= repository.BATCH_ROWS for before, after in pairwise(left))
    assert all(before - after <= repository.BATCH_COLUMNS for before, after in pairwise(columns))
    assert left[-1] == columns[-1] == 0
    assert [count(context, table) for table in (Event, Artifact, Experiment)] == [0, 0, 0]


def test_heartbeats_come_through_while_much_is_deleted(client, context, submit, worker):
    """On SQLite there is one writer at a time, and a lease that nobody can renew is lost."""
    large, running = submit(), submit(name="running")
    end(worker, large["runs"][0]["id"])
    fill(context, large["runs"][0]["id"], 200_000)
    run_id = running["runs"][0]["id"]
    attempt = worker.take(run_id)
    client.delete(f"/api/v1/experiments/{large['id']}")
    sweeper = Sweeper(context)
    sweeper.start()
    heard_meanwhile = 0
    try:
        while count(context, Experiment) > 1:
            with context.database.read() as session:
                assert session.get(Run, run_id).job.lease_expires_at > clock.now()
            assert worker.report(run_id, attempt).status_code == 200
            heard_meanwhile += count(context, MetricTick) > 0
    finally:
        sweeper.stop()
    assert heard_meanwhile > 0
    assert count(context, MetricTick) == 0


def test_the_file_of_sqlite_shrinks(client, context, submit, worker, sweep):
    if context.database.engine.dialect.name != "sqlite":
        pytest.skip("Postgres gives pages back by itself")
    experiment = submit()
    run_id = experiment["runs"][0]["id"]
    end(worker, run_id)
    fill(context, run_id, 100_000)

    def pages():
        with context.database.read() as session:
            return session.scalar(text("PRAGMA page_count"))

    full = pages()
    client.delete(f"/api/v1/experiments/{experiment['id']}")
    sweep()
    assert pages() < full / 2


def test_a_kill_between_files_and_rows_leaves_nothing(client, context, submit, worker, sweep):
    experiment = submit()
    run_id = experiment["runs"][0]["id"]
    job_id = worker.job_id(run_id)
    end(worker, run_id)
    client.delete(f"/api/v1/experiments/{experiment['id']}")
    context.artifacts.delete_job(job_id)  # and here it is killed
    sweep()
    assert count(context, Job) == 0


def test_files_without_a_row_are_swept_when_they_are_old(context, settings, worker, run_id):
    attempt = worker.take(run_id)
    worker.upload(run_id, attempt, "kept.npz", b"", EMPTY_SHA256)
    folder = Path(settings.artifacts) / str(worker.job_id(run_id))
    hours = {".young-upload.part": 23, ".old-upload.part": 25, "young.npz": 0.5, "old.npz": 2}
    for name, age in hours.items():
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - 3600 * age,) * 2)
    [kept] = set(path.name for path in folder.iterdir()) - set(hours)
    os.utime(folder / kept, (0, 0))
    sweeping.sweep_files(context)
    assert {path.name for path in folder.iterdir()} == {kept, ".young-upload.part", "young.npz"}


def test_nothing_to_sweep_yet(context):
    sweeping.sweep_files(context)
    assert not sweeping.sweep_deleted(context)


class TestLogs:
    def line(self, number):
        return {"line": number, "wall": 1.0, "stream": "trainer", "text": f"line {number}"}

    def test_of_a_long_log_beginning_and_end_are_kept(self, client, worker, run_id, monkeypatch):
        monkeypatch.setattr(logs, "FIRST_LINES", 3)
        monkeypatch.setattr(logs, "LAST_LINES", 4)
        attempt = worker.take(run_id)
        for start in range(0, 20, 5):
            answer = worker.report(run_id, attempt, logs=[self.line(number) for number in range(start, start + 5)])
            assert answer.json()["next_log_line"] == start + 5
        page = client.get(f"/api/v1/runs/{run_id}/logs").json()
        texts = [item["text"] for item in page["items"]]
        assert texts[:3] == ["line 0", "line 1", "line 2"]
        assert texts[3].startswith("13 lines are left out here")
        assert texts[4:] == ["line 16", "line 17", "line 18", "line 19"]

    def test_old_ones_go_where_that_is_asked_for(self, context, worker, run_id, monkeypatch):
        attempt = worker.take(run_id)
        worker.report(run_id, attempt, [STOPPED], [self.line(0)])
        assert not sweeping.sweep_old_logs(context)
        short = dataclasses.replace(context, settings=dataclasses.replace(context.settings, log_days=7))
        assert not sweeping.sweep_old_logs(short), "it ended just now"
        now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: now + timedelta(days=8))
        assert sweeping.sweep_old_logs(short)
        assert count(context, LogLine) == 0
        assert not sweeping.sweep_old_logs(short)


class TestFoldersOfWorkers:
    @pytest.fixture
    def service(self, server, worker):
        service = Service(server, worker.headers["Authorization"].split()[1])
        yield service
        service.close()

    def test_only_those_of_jobs_that_may_go_on_stay(self, client, service, submit, tmp_path, worker):
        running, ended, deleted = (submit(name=name)["runs"][0] for name in ("a", "b", "c"))
        ids = [worker.job_id(run["id"]) for run in (running, ended, deleted)]
        for run in (ended, deleted):
            client.post(f"/api/v1/runs/{run['id']}/stop")
        assert client.delete(f"/api/v1/experiments/{deleted['experiment_id']}").status_code == 204
        folders = tmp_path / "runs"
        for name in (*map(str, ids), "7777777", ".swept-1", "notes"):
            (folders / name / "checkpoints").mkdir(parents=True)
            (folders / name / "events.jsonl").write_text("{}")
        sweep_folders(service, folders)
        assert sorted(path.name for path in folders.iterdir()) == sorted([str(ids[0]), "notes"])
        assert (folders / str(ids[0]) / "events.jsonl").exists()

    def test_one_in_which_a_process_works_is_left_alone(self, service, tmp_path):
        from phylon.run_directory import locked

        folder = tmp_path / "runs" / "7777777"
        folder.mkdir(parents=True)
        with locked(folder):
            sweep_folders(service, folder.parent)
            assert folder.exists()
        sweep_folders(service, folder.parent)
        assert not folder.exists()

    def test_no_folders(self, service, tmp_path):
        sweep_folders(service, tmp_path / "not there yet")


def test_the_sweeper_ends_when_it_is_asked_to(context):
    sweeper = Sweeper(context)
    sweeper.start()
    sweeper.stop()
    assert "sweeper" not in {thread.name for thread in threading.enumerate()}
