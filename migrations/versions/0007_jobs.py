"""jobs

Whatever a worker executes is a job; runs and studies point to theirs. The job of a run that exists gets the run's own
number, so artifacts, attempts, log lines, events and the workers' directories need no new numbers. Studies follow after
the highest number that a run ever had, and what they measured becomes events.
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from phylon.migrations.numbers import highest_number, set_highest_number

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
MAX_ATTEMPTS = 5
REMEDY = "Read the log of the last attempt; correct the spec or the worker, then submit it again."

COMMON = (
    sa.Column("status", sa.String(length=20), nullable=False),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("attempt", sa.Integer(), nullable=False),
    sa.Column("dispatched_at", TIME, nullable=True),
    sa.Column("dispatched_to", sa.String(length=10), nullable=True),
    sa.Column("worker_id", KEY, nullable=True),
    sa.Column("worker_name", sa.String(length=200), nullable=True),
    sa.Column("lease_expires_at", TIME, nullable=True),
    sa.Column("started_at", TIME, nullable=True),
    sa.Column("finished_at", TIME, nullable=True),
)
"""What runs and studies both had."""
OF_RUNS = (
    sa.Column("max_attempts", sa.Integer(), nullable=False),
    sa.Column("handed_back", sa.Integer(), nullable=False),
    sa.Column("error", sa.JSON(), nullable=True),
    sa.Column("last_seq", sa.BigInteger(), nullable=False),
)
OF_STUDIES = (
    sa.Column("wanted_worker_id", KEY, nullable=True),
    sa.Column("lost_attempts", sa.Integer(), nullable=False),
    sa.Column("error", sa.Text(), nullable=True),
)
SHARED = ", ".join(column.name for column in COMMON)
NUMBERED = ("runs", "studies", "artifacts", "log_lines")
"""Their numbers are never given twice, which SQLite forgets when a table is copied."""

JOBS = sa.table(
    "jobs", sa.column("id"), sa.column("error", sa.JSON), sa.column("last_seq"), sa.column("last_seq_attempt")
)
STUDIES = sa.table(
    "studies",
    *(sa.column(name) for name in ("id", "job_id", "attempt", "status")),
    sa.column("machine", sa.JSON),
    sa.column("error", sa.Text),
)
MEASUREMENTS = sa.table(
    "study_measurements", sa.column("study_id"), sa.column("position"), sa.column("content", sa.JSON)
)
EVENTS = sa.table(
    "events", *(sa.column(name) for name in ("job_id", "seq", "attempt", "kind", "step", "wall", "payload"))
)


def upgrade() -> None:
    numbers = {table: highest_number(table) for table in NUMBERED}
    op.create_table(
        "jobs",
        sa.Column("id", KEY, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("handed_back", sa.Integer(), nullable=False),
        sa.Column("wanted_worker_id", KEY, nullable=True),
        sa.Column("dispatched_at", TIME, nullable=True),
        sa.Column("dispatched_to", sa.String(length=10), nullable=True),
        sa.Column("worker_id", KEY, nullable=True),
        sa.Column("worker_name", sa.String(length=200), nullable=True),
        sa.Column("lease_expires_at", TIME, nullable=True),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq_attempt", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["wanted_worker_id"], ["workers.id"], name="fk_jobs_wanted_worker_id_workers"),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name="fk_jobs_worker_id_workers"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_status_id", "jobs", ["status", "id"])
    op.create_index("ix_jobs_worker_id", "jobs", ["worker_id"])
    offset = numbers["runs"]
    op.execute(
        f"INSERT INTO jobs (id, kind, {SHARED}, max_attempts, handed_back, error, last_seq, last_seq_attempt) "
        f"SELECT id, 'run', {SHARED}, max_attempts, handed_back, error, last_seq, "
        "coalesce((SELECT events.attempt FROM events WHERE run_id = runs.id AND seq = runs.last_seq), 0) FROM runs"
    )
    op.execute(
        f"INSERT INTO jobs (id, kind, {SHARED}, wanted_worker_id, "
        "max_attempts, handed_back, last_seq, last_seq_attempt) "
        f"SELECT id + {offset}, 'study', {SHARED}, wanted_worker_id, {MAX_ATTEMPTS}, "
        # An attempt that goes on, or that ended with an outcome, counted too, but was not lost.
        "CASE WHEN attempt = lost_attempts OR status IN ('queued', 'dispatched') THEN attempt - lost_attempts "
        "ELSE attempt - lost_attempts - 1 END, -1, 0 FROM studies"
    )
    set_highest_number("jobs", offset + numbers["studies"])
    for table, shift in (("runs", 0), ("studies", offset)):
        op.add_column(table, sa.Column("job_id", KEY, nullable=True))
        op.execute(f"UPDATE {table} SET job_id = id + {shift}")
    _point_to_jobs()
    _write_study_histories()
    _drop_columns("runs", (*COMMON, *OF_RUNS))
    _drop_columns("studies", (*COMMON, *OF_STUDIES))
    for table, number in numbers.items():
        set_highest_number(table, number)


def downgrade() -> None:
    numbers = {table: highest_number(table) for table in NUMBERED}
    for table, columns in (("runs", (*COMMON, *OF_RUNS)), ("studies", (*COMMON, *OF_STUDIES))):
        for column in columns:
            op.add_column(table, sa.Column(column.name, column.type, nullable=True))
        for column in columns:
            if column.name not in ("lost_attempts", "error"):
                op.execute(f"UPDATE {table} SET {column.name} = (SELECT {column.name} FROM jobs WHERE id = job_id)")
    op.execute("UPDATE runs SET error = (SELECT error FROM jobs WHERE id = job_id)")
    op.execute(
        "UPDATE studies SET lost_attempts = (SELECT CASE WHEN status IN ('queued', 'dispatched') "
        "THEN attempt - handed_back ELSE attempt - handed_back - 1 END FROM jobs WHERE id = job_id)"
    )
    op.execute("UPDATE studies SET lost_attempts = 0 WHERE lost_attempts < 0")
    _restore_study_errors()
    _point_to_runs()
    for table, columns in (("runs", (*COMMON, *OF_RUNS)), ("studies", (*COMMON, *OF_STUDIES))):
        with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
            for column in columns:
                batch.alter_column(column.name, existing_type=column.type, nullable=column.nullable)
            batch.drop_constraint(f"fk_{table}_job_id_jobs", type_="foreignkey")
            batch.drop_constraint(f"uq_{table}_job_id", type_="unique")
            batch.drop_column("job_id")
            batch.create_foreign_key(f"fk_{table}_worker_id_workers", "workers", ["worker_id"], ["id"])
            if table == "studies":
                name = "fk_studies_wanted_worker_id_workers"
                batch.create_foreign_key(name, "workers", ["wanted_worker_id"], ["id"])
        op.create_index(f"ix_{table}_status_id", table, ["status", "id"])
        op.create_index(f"ix_{table}_worker_id", table, ["worker_id"])
    op.drop_table("jobs")
    for table, number in numbers.items():
        set_highest_number(table, number)


def _point_to_jobs() -> None:
    """The tables that every job has, and the payloads."""
    op.drop_index("ix_log_lines_run_id_id", "log_lines")
    with op.batch_alter_table("log_lines") as batch:
        batch.drop_constraint("fk_log_lines_run_id_attempts", type_="foreignkey")
    for table in ("artifacts", "attempts", "events", "log_lines"):
        op.alter_column(table, "run_id", new_column_name="job_id")
    for table in ("artifacts", "attempts", "events"):
        with op.batch_alter_table(table, **_kwargs(table)) as batch:
            batch.drop_constraint(f"fk_{table}_run_id_runs", type_="foreignkey")
            batch.create_foreign_key(f"fk_{table}_job_id_jobs", "jobs", ["job_id"], ["id"], ondelete="CASCADE")
            if table == "artifacts":
                batch.drop_constraint("uq_artifacts_run_id_name", type_="unique")
                batch.create_unique_constraint("uq_artifacts_job_id_name", ["job_id", "name"])
    with op.batch_alter_table("log_lines", **_kwargs("log_lines")) as batch:
        batch.drop_constraint("uq_log_lines_run_id_attempt_line", type_="unique")
        batch.create_unique_constraint("uq_log_lines_job_id_attempt_line", ["job_id", "attempt", "line"])
        name, columns = "fk_log_lines_job_id_attempts", (["job_id", "attempt"], ["job_id", "number"])
        batch.create_foreign_key(name, "attempts", *columns, ondelete="CASCADE")
    op.create_index("ix_log_lines_job_id_id", "log_lines", ["job_id", "id"])
    for table in ("runs", "studies"):
        with op.batch_alter_table(table, **_kwargs(table)) as batch:
            batch.alter_column("job_id", existing_type=KEY, nullable=False)
            batch.create_foreign_key(f"fk_{table}_job_id_jobs", "jobs", ["job_id"], ["id"], ondelete="CASCADE")
            batch.create_unique_constraint(f"uq_{table}_job_id", ["job_id"])


def _point_to_runs() -> None:
    """What belongs to studies has no place there. The number of a run's job may be another than its own."""
    op.drop_index("ix_log_lines_job_id_id", "log_lines")
    with op.batch_alter_table("log_lines", **_kwargs("log_lines")) as batch:
        batch.drop_constraint("fk_log_lines_job_id_attempts", type_="foreignkey")
        batch.drop_constraint("uq_log_lines_job_id_attempt_line", type_="unique")
    for table in ("artifacts", "attempts", "events"):
        with op.batch_alter_table(table, **_kwargs(table)) as batch:
            batch.drop_constraint(f"fk_{table}_job_id_jobs", type_="foreignkey")
            if table == "artifacts":
                batch.drop_constraint("uq_artifacts_job_id_name", type_="unique")
    runs = op.get_bind().execute(sa.text("SELECT job_id, id FROM runs WHERE job_id <> id ORDER BY job_id")).all()
    for table in ("artifacts", "attempts", "events", "log_lines"):
        op.execute(f"DELETE FROM {table} WHERE job_id NOT IN (SELECT job_id FROM runs)")
        op.alter_column(table, "job_id", new_column_name="run_id")
        for job_id, run_id in runs:  # upwards: a run's number is not above its job's, so its place is free by then
            op.execute(f"UPDATE {table} SET run_id = {run_id} WHERE run_id = {job_id}")
    for table in ("artifacts", "attempts", "events"):
        with op.batch_alter_table(table, **_kwargs(table)) as batch:
            batch.create_foreign_key(f"fk_{table}_run_id_runs", "runs", ["run_id"], ["id"], ondelete="CASCADE")
            if table == "artifacts":
                batch.create_unique_constraint("uq_artifacts_run_id_name", ["run_id", "name"])
    with op.batch_alter_table("log_lines", **_kwargs("log_lines")) as batch:
        batch.create_unique_constraint("uq_log_lines_run_id_attempt_line", ["run_id", "attempt", "line"])
        name, columns = "fk_log_lines_run_id_attempts", (["run_id", "attempt"], ["run_id", "number"])
        batch.create_foreign_key(name, "attempts", *columns, ondelete="CASCADE")
    op.create_index("ix_log_lines_run_id_id", "log_lines", ["run_id", "id"])


def _write_study_histories() -> None:
    """Their newest attempt, what they measured as events, and their error in the words of a job."""
    op.execute(
        'INSERT INTO attempts (job_id, number, worker_id, claimed_at, ended_at, "end", next_log_line) '
        "SELECT job_id, attempt, worker_id, coalesce(started_at, created_at), finished_at, "
        "CASE WHEN status IN ('running', 'stopping') THEN NULL WHEN status IN ('queued', 'dispatched') THEN 'lost' "
        "ELSE status END, 0 FROM studies WHERE attempt > 0 AND worker_id IS NOT NULL"
    )
    bind = op.get_bind()
    for study in bind.execute(sa.select(STUDIES)).all():
        if study.error is not None:
            error = {"message": study.error, "remedy": REMEDY}
            bind.execute(sa.update(JOBS).where(JOBS.c.id == study.job_id).values(error=error))
        cells = sa.select(MEASUREMENTS.c.content).where(MEASUREMENTS.c.study_id == study.id)
        measured = bind.scalars(cells.order_by(MEASUREMENTS.c.position)).all()
        events = [("machine", {"machine": study.machine})] if study.machine else []
        events += [("measured", {"measurement": content}) for content in measured]
        if not events:
            continue
        bind.execute(sa.insert(EVENTS), [_event(study, seq, *event) for seq, event in enumerate(events)])
        newest = {"last_seq": len(events) - 1, "last_seq_attempt": study.attempt}
        bind.execute(sa.update(JOBS).where(JOBS.c.id == study.job_id).values(newest))


def _event(study: Any, seq: int, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    stamp = {"seq": seq, "step": seq, "wall": 0.0}
    payload = json.dumps({**stamp, "kind": kind, **fields})
    return {"job_id": study.job_id, "attempt": study.attempt, "kind": kind, "payload": payload, **stamp}


def _restore_study_errors() -> None:
    bind = op.get_bind()
    rows = sa.select(STUDIES.c.id, JOBS.c.error).join(JOBS, JOBS.c.id == STUDIES.c.job_id)
    for study_id, error in bind.execute(rows).all():
        if error:
            bind.execute(sa.update(STUDIES).where(STUDIES.c.id == study_id).values(error=error["message"]))


def _drop_columns(table: str, columns: tuple[sa.Column[Any], ...]) -> None:
    for name in (f"ix_{table}_status_id", f"ix_{table}_worker_id"):
        op.drop_index(name, table)
    with op.batch_alter_table(table, **_kwargs(table)) as batch:
        batch.drop_constraint(f"fk_{table}_worker_id_workers", type_="foreignkey")
        if table == "studies":
            batch.drop_constraint("fk_studies_wanted_worker_id_workers", type_="foreignkey")
        for column in columns:
            batch.drop_column(column.name)


def _kwargs(table: str) -> dict[str, Any]:
    return {"table_kwargs": {"sqlite_autoincrement": True}} if table in NUMBERED else {}
