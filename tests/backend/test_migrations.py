"""Models and migrations say the same, on both databases."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import httpx
import numpy as np
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.orm import Session

from phylon.backend import schema
from phylon.backend.backup.archive import open_checked
from phylon.backend.kit.database import Database, after_commit, make_engine
from phylon.backend.metrics import history
from phylon.backend.metrics.frames import unpack
from phylon.backend.migrate import configuration, main, migrate
from phylon.backend.models import Base, Run

from . import old_release
from .conftest import drop_database, make_database

BEFORE_CHUNKS = "0022"


def test_models_and_migrations_do_not_drift(database_url):
    engine = make_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_up_twice_and_down_again(empty_url):
    migrate(empty_url)
    migrate(empty_url)
    engine = make_engine(empty_url)
    assert set(Base.metadata.tables) <= set(inspect(engine).get_table_names())
    command.downgrade(configuration(empty_url), "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    engine.dispose()


def test_the_command(empty_url, monkeypatch, capsys):
    monkeypatch.setenv("PHYLON_DATABASE_URL", empty_url.replace("postgres:@", "postgres:hush@"))
    assert main([]) == 0
    assert "hush" not in capsys.readouterr().out


def test_sqlite_is_set_up_for_several_writers(sqlite_template):
    database = Database(f"sqlite:///{sqlite_template}")
    with database.read() as session:
        pragmas = {
            name: session.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }
    database.dispose()
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 15_000}


def test_the_file_of_an_older_version_learns_to_shrink(tmp_path):
    file = tmp_path / "phylon.db"
    migrate(f"sqlite:///{file}")
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (0,)
    migrate(f"sqlite:///{file}")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)


def test_a_failed_transaction_leaves_nothing_and_notifies_nobody(context):
    heard = []
    with pytest.raises(ZeroDivisionError), context.database.write() as session:
        after_commit(session, lambda: heard.append("early"))
        session.execute(text("DELETE FROM experiments"))
        _ = 1 / 0
    assert heard == []
    with context.database.write() as session:
        after_commit(session, lambda: heard.append("after"))
        assert heard == []
    assert heard == ["after"]


def test_what_was_stored_before_groups_is_kept(empty_url):
    """SQLite could only have copied the table and dropped the old one, which deletes all that refers to it."""
    database = make_engine(empty_url)
    if database.dialect.name == "sqlite":
        Path(database.url.database).parent.mkdir(parents=True)
    command.upgrade(configuration(empty_url), "0001")
    with database.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO experiments VALUES "
                "(1, 'old', '{}', '', 'gymnasium', 'Pendulum-v1', 'td3', 'pbt', 4, '2026-01-01 00:00:00')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO runs (id, experiment_id, replicate, seed, population_size, total_steps, max_attempts, "
                "created_at, status, attempt, handed_back, last_seq, step, devices) VALUES "
                "(1, 1, 0, 0, 4, 100, 5, '2026-01-01 00:00:00', 'finished', 1, 0, 5, 100, '[]')"
            )
        )
    migrate(empty_url)
    with database.connect() as connection:
        assert connection.execute(text("SELECT name, group_id FROM experiments")).all() == [("old", None)]
        assert connection.execute(text("SELECT experiment_id, step FROM runs")).all() == [(1, 100)]
    command.downgrade(configuration(empty_url), "0001")
    with database.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM runs")) == 1
    database.dispose()


def test_metrics_are_carried_over_and_back(empty_url):
    """A run with more ticks than a row of compacted ones has, whose names are not in every tick."""
    old_release.write(empty_url)
    command.upgrade(configuration(empty_url), BEFORE_CHUNKS)
    engine = make_engine(empty_url)
    run_id = old_release.RUNS["finished"]
    stamps = ({"run": run_id, "seq": seq, "step": 10 * seq, "wall": seq / 8} for seq in range(10, 710))
    rows = [
        stamp | {"name": name, "data": np.array([stamp["seq"], np.nan], "<f4").tobytes()}
        for stamp in stamps
        for name in (("evaluation/return", "time/env") if stamp["seq"] % 3 else ("time/env",))
    ]
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO metric_frames VALUES (:run, :seq, :name, :step, :wall, :data)"), rows)
    everything = text("SELECT run_id, seq, name, step, wall, data FROM metric_frames ORDER BY run_id, seq, name")
    with engine.connect() as connection:
        before = [(*row[:5], bytes(row[5])) for row in connection.execute(everything)]
    migrate(empty_url)
    with Session(engine) as session:
        page = history.whole(session, run_id, "time/env")
        assert page.steps.tolist() == [10 * seq for seq in range(10, 710)]
        run = session.get_one(Run, run_id)
        assert run.evaluations == history.whole(session, run_id, "evaluation/return").steps.size == 469
        assert 0 < len(unpack(run.sparkline)) <= 40
    command.downgrade(configuration(empty_url), BEFORE_CHUNKS)
    with engine.connect() as connection:
        assert [(*row[:5], bytes(row[5])) for row in connection.execute(everything)] == before
    engine.dispose()


def test_a_used_database_is_kept_before_it_is_changed(empty_url, tmp_path, monkeypatch, capsys):
    """The newest three stay, beside whatever else lies there."""
    old_release.write(empty_url)
    folder = tmp_path / "home" / "backups"
    folder.mkdir(parents=True)
    others = {folder / "mine.tar", *(folder / f"before-change-20200101T00000{n}-schema-0001.db" for n in range(3))}
    for other in others:
        other.touch()
    monkeypatch.setenv("PHYLON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PHYLON_DATABASE_URL", empty_url)
    assert main([]) == 0
    (kept,) = set(folder.iterdir()) - others
    assert f"The database as it was before is in {kept}" in capsys.readouterr().out
    assert kept.stat().st_mode & 0o777 == 0o600
    assert len(set(folder.iterdir())) == 4 and (folder / "mine.tar").exists()
    if kept.suffix == ".db":
        copy = make_engine(f"sqlite:///{kept}")
        with copy.connect() as connection:
            assert connection.scalar(text("SELECT version_num FROM alembic_version")) == old_release.REVISION
            assert connection.scalar(text("SELECT count(*) FROM runs")) == len(old_release.RUNS)
        copy.dispose()
    else:
        with open_checked(kept) as reader:
            rows = {table.name: table.rows for table in reader.manifest.tables}
            assert (reader.manifest.revision, rows["runs"]) == (old_release.REVISION, len(old_release.RUNS))
    assert main([]) == 0
    assert "before is in" not in capsys.readouterr().out


def test_nothing_is_kept_of_an_unused_database_or_on_request(empty_url, tmp_path, monkeypatch):
    monkeypatch.setenv("PHYLON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PHYLON_DATABASE_URL", empty_url)
    if empty_url.startswith("sqlite"):
        (tmp_path / "folder").mkdir()
    command.upgrade(configuration(empty_url), "0014")  # which stores a user and a project
    assert main([]) == 0
    command.downgrade(configuration(empty_url), "base")
    old_release.write(empty_url)
    assert main(["--no-backup"]) == 0
    assert not (tmp_path / "home" / "backups").exists()


def test_without_a_backup_nothing_is_changed(empty_url, tmp_path, monkeypatch, capsys):
    old_release.write(empty_url)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "backups").write_text("a file where the folder should be")
    monkeypatch.setenv("PHYLON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PHYLON_DATABASE_URL", empty_url)
    assert main([]) == 1
    assert "The database was not changed" in (said := capsys.readouterr().err) and "--no-backup" in said
    assert schema.report(empty_url).revision == old_release.REVISION


@pytest.mark.parametrize("module", ["phylon.backend.migrate", "phylon.backend.serve"])
def test_a_newer_database_is_refused(empty_url, module):
    migrate(empty_url)
    engine = make_engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    environment = os.environ | {"PHYLON_DATABASE_URL": empty_url}
    run = subprocess.run([sys.executable, "-m", module], env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode in (1, 2)
    assert "is at schema 9999" in run.stderr and f"its newest is {schema.newest()}" in run.stderr
    assert f"Phylon {version('phylon')}" in run.stderr and "Install that release again" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_service_does_not_start_before_the_migration(empty_url):
    old_release.write(empty_url)
    environment = os.environ | {"PHYLON_DATABASE_URL": empty_url}
    command = [sys.executable, "-m", "phylon.backend.serve"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert "is at schema 0005" in run.stderr and "Run `phylon migrate` first" in run.stderr


def test_a_database_that_does_not_answer(monkeypatch, capsys):
    monkeypatch.setenv("PHYLON_DATABASE_URL", "postgresql+psycopg://me:hush@127.0.0.1:9/phylon")
    assert main([]) == 1
    said = capsys.readouterr().err
    assert "cannot be reached" in said and "PHYLON_DATABASE_URL" in said
    assert "Traceback" not in said and "hush" not in said


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def upgraded_url(request, tmp_path_factory):
    """A database of the old release after the migration, made once; every test has a copy of its own."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('old') / 'phylon.db'}"
    else:
        url = make_database(request.getfixturevalue("postgres_url"), "upgraded")
    old_release.write(url)
    migrate(url)
    yield url
    if request.param == "postgres":
        drop_database(request.getfixturevalue("postgres_url"), "upgraded")


class TestOldRelease:
    """A database that the release at schema 0005 wrote, read and gone on with by this one."""

    @pytest.fixture
    def database_url(self, request, upgraded_url, tmp_path):
        if upgraded_url.startswith("sqlite"):
            file = shutil.copy(upgraded_url.removeprefix("sqlite:///"), tmp_path / "phylon.db")
            yield f"sqlite:///{file}"
            return
        server = request.getfixturevalue("postgres_url")
        yield make_database(server, "copy", template="upgraded")
        drop_database(server, "copy")

    @pytest.mark.parametrize("status", old_release.STATUSES)
    def test_a_run_reads_as_before(self, client, status):
        number = old_release.RUNS[status]
        run = client.get(f"/api/v1/runs/{number}").json()
        begun = status in old_release.BEGUN
        assert (run["status"], run["replicate"], run["total_steps"]) == (status, number - 1, 2000)
        assert (run["attempt"], run["attempts"], run["max_attempts"]) == ((2, 1, 5) if begun else (0, 0, 5))
        assert (run["step"], run["best_return"], run["last_seq"]) == ((400, 3.0, 4) if begun else (0, None, -1))
        assert run["error"] == (old_release.ERROR if status == "failed" else None)
        assert run["created_at"] == "2026-01-02T03:04:05Z"
        assert (run["started_at"] is not None, run["worker_name"]) == (begun, "worker-1" if begun else None)
        lines = client.get(f"/api/v1/runs/{number}/logs").json()["items"]
        assert [(line["attempt"], line["text"]) for line in lines] == (
            [(1, "attempt 1"), (2, "attempt 2")] if begun else []
        )
        files = client.get(f"/api/v1/runs/{number}/artifacts").json()["items"]
        assert [(file["name"], file["step"]) for file in files] == ([("000001.npz", 200)] if begun else [])
        names = client.get(f"/api/v1/runs/{number}/metrics/names").json()["items"]
        assert names == (["evaluation/return"] if begun else [])
        spans = client.get(f"/api/v1/runs/{number}/lineage").json()["spans"]
        assert [span["weights"] for span in spans] == (["00000000", "00000001"] if begun else [])

    @pytest.mark.parametrize("status", old_release.STATUSES)
    def test_a_study_reads_as_before(self, client, status):
        study = client.get(f"/api/v1/studies/{old_release.STUDIES[status]}").json()
        done = 2 if status == "finished" else 1 if status in old_release.BEGUN else 0
        assert (study["status"], study["done"], study["total"], study["name"]) == (status, done, 2, "small")
        assert study["measurements"] == old_release.MEASUREMENTS[:done]
        assert study["machine"] == (old_release.MACHINE if done else None)
        assert study["error"] == ("no torch" if status == "failed" else None)
        assert study["progress"] == ("td3" if status in old_release.HELD else None)

    def test_an_uploaded_study_reads_as_before(self, client):
        study = client.get(f"/api/v1/studies/{old_release.UPLOADED}").json()
        assert (study["status"], study["worker_name"]) == ("finished", None)
        assert study["measurements"] == old_release.MEASUREMENTS

    def test_histories_are_whole(self, server):
        """Read as a page does, and as a page that had seen some of it before the upgrade goes on."""
        url = f"{server}/api/v1/runs/{old_release.RUNS['finished']}/events"
        whole = httpx.get(url, trust_env=False).text
        assert [line for line in whole.splitlines() if line.startswith("id: ")] == [
            *("id: 1-0", "id: 1-1", "id: 1-2", "id: 2-3", "id: 2-4")
        ]
        rest = httpx.get(url, params={"after": "2-3"}, trust_env=False).text
        assert [line for line in rest.splitlines() if line.startswith("id: ")] == ["id: 2-4"]
        study = httpx.get(f"{server}/api/v1/studies/{old_release.STUDIES['stopped']}/events", trust_env=False).text
        kinds = [line.removeprefix("event: ") for line in study.splitlines() if line.startswith("event: ")]
        assert kinds == ["machine", "measured", "status"]

    @pytest.mark.parametrize("status", ["queued", "dispatched", "running"])
    def test_an_active_run_goes_on(self, client, scheduler, worker, status):
        number = old_release.RUNS[status]
        scheduler.tick()  # the lease of the running one ran out long ago
        claim = worker.claim(number).json()
        begun = status == "running"
        assert (claim["attempt"], claim["next_seq"]) == ((3, 5) if begun else (1, 0))
        assert (claim["payload"]["run_id"], claim["payload"]["spec"]) == (number, old_release.SPEC)
        assert [each["next_seq"] for each in claim["payload"]["checkpoints"]] == ([3] if begun else [])
        from_seq = 3 if begun else 0
        worker.resume(number, claim["attempt"], from_seq)
        finished = {"kind": "finished", "seq": from_seq, "step": 2000, "wall": 9.0, "best_member": 0, "fitness": 1.0}
        worker.report(number, claim["attempt"], [finished])
        run = client.get(f"/api/v1/runs/{number}").json()
        assert (run["status"], run["attempts"], run["step"]) == ("finished", 2 if begun else 1, 2000)

    @pytest.mark.parametrize("status", ["queued", "dispatched", "running"])
    def test_an_active_study_goes_on(self, client, scheduler, make_worker, status):
        number = old_release.STUDIES[status]
        scheduler.tick()
        begun = status == "running"
        # The queued one waits for a worker of that name, which comes back to its row.
        worker = make_worker("worker-2" if status == "queued" else "new").of_studies()
        claim = worker.claim(number).json()
        assert (claim["attempt"], claim["next_seq"]) == ((3, 2) if begun else (1, 0))
        assert claim["payload"]["measurements"] == old_release.MEASUREMENTS[: int(begun)]
        worker.resume(number, claim["attempt"], claim["next_seq"])
        assert client.get(f"/api/v1/studies/{number}").json()["done"] == int(begun)
        finished = {"kind": "finished", "seq": claim["next_seq"], "step": 2, "wall": 9.0}
        worker.report(number, claim["attempt"], [finished])
        assert client.get(f"/api/v1/studies/{number}").json()["status"] == "finished"

    def test_a_stopping_job_whose_worker_is_gone_is_stopped(self, client, scheduler):
        scheduler.tick()
        assert client.get(f"/api/v1/runs/{old_release.RUNS['stopping']}").json()["status"] == "stopped"
        assert client.get(f"/api/v1/studies/{old_release.STUDIES['stopping']}").json()["status"] == "stopped"

    def test_no_number_is_given_twice(self, client, submit, worker):
        run = submit()["runs"][0]["id"]
        assert run == old_release.HIGHEST_RUN + 1
        assert worker.job_id(run) > old_release.HIGHEST_RUN + old_release.UPLOADED

    def test_and_back_again(self, client, submit, worker, database_url):
        """A run that this release made has another number than its job; what belongs to it must follow it back."""
        run = submit()["runs"][0]["id"]
        worker.take(run)
        worker.report(run, 1, [{"kind": "stopped", "seq": 0, "step": 5, "wall": 1.0}])
        command.downgrade(configuration(database_url), old_release.REVISION)
        engine = make_engine(database_url)
        with engine.connect() as connection:

            def rows(statement):
                return connection.execute(text(statement)).all()

            assert rows("SELECT id, status FROM runs WHERE id < 20 ORDER BY id") == [
                (number, status) for status, number in old_release.RUNS.items()
            ]
            assert rows(f"SELECT run_id, seq, kind FROM events WHERE run_id = {run}") == [(run, 0, "stopped")]
            assert rows(f"SELECT number, rewound_to FROM attempts WHERE run_id = {run}") == [(1, 0)]
            assert len(rows("SELECT * FROM events")) == 5 * len(old_release.BEGUN) + 1
            assert len(rows("SELECT * FROM log_lines")) == 2 * len(old_release.BEGUN)
            assert rows("SELECT id, status, lost_attempts, error FROM studies WHERE status = 'failed'") == [
                (old_release.STUDIES["failed"], "failed", 1, "no torch")
            ]
            assert len(rows("SELECT * FROM study_measurements")) == 1 * 4 + 2 * 2
        engine.dispose()
        migrate(database_url)
        assert client.get(f"/api/v1/runs/{run}").json()["status"] == "stopped"
