"""experiments runs and their history"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("suite", sa.String(length=50), nullable=False),
        sa.Column("environment", sa.String(length=200), nullable=False),
        sa.Column("algorithm", sa.String(length=50), nullable=False),
        sa.Column("method", sa.String(length=50), nullable=False),
        sa.Column("population_size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_experiments"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "workers",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("device", sa.String(length=10), nullable=False),
        sa.Column("device_name", sa.String(length=200), nullable=False),
        sa.Column("device_count", sa.Integer(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("versions", sa.JSON(), nullable=False),
        sa.Column("suites", sa.JSON(), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_workers_name", "workers", ["name"])
    op.create_table(
        "runs",
        sa.Column("id", KEY, nullable=False),
        sa.Column("experiment_id", KEY, nullable=False),
        sa.Column("replicate", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("population_size", sa.Integer(), nullable=False),
        sa.Column("total_steps", sa.BigInteger(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("dispatched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("dispatched_to", sa.String(length=10), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("handed_back", sa.Integer(), nullable=False),
        sa.Column("worker_id", KEY, nullable=True),
        sa.Column("worker_name", sa.String(length=200), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("best_fitness", sa.Double(), nullable=True),
        sa.Column("last_fitness", sa.Double(), nullable=True),
        sa.Column("median_fitness", sa.Double(), nullable=True),
        sa.Column("env_steps_per_second", sa.Double(), nullable=True),
        sa.Column("strategy", sa.String(length=50), nullable=True),
        sa.Column("strategy_explanation", sa.Text(), nullable=True),
        sa.Column("devices", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_runs_experiment_id_experiments", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name="fk_runs_worker_id_workers"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("experiment_id", "replicate", name="uq_runs_experiment_id_replicate"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_status_id", "runs", ["status", "id"])
    op.create_index("ix_runs_worker_id", "runs", ["worker_id"])
    op.create_table(
        "artifacts",
        sa.Column("id", KEY, nullable=False),
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_artifacts_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_artifacts"),
        sa.UniqueConstraint("run_id", "name", name="uq_artifacts_run_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "attempts",
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("worker_id", KEY, nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("end", sa.String(length=20), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("rewound_to", sa.BigInteger(), nullable=True),
        sa.Column("next_log_line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_attempts_run_id_runs", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name="fk_attempts_worker_id_workers"),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_attempts"),
    )
    op.create_index("ix_attempts_worker_id", "attempts", ["worker_id"])
    op.create_table(
        "events",
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("wall", sa.Double(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_events_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_events"),
    )
    op.create_table(
        "metric_frames",
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("wall", sa.Double(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_metric_frames_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "seq", "name", name="pk_metric_frames"),
    )
    op.create_index("ix_metric_frames_run_id_name_seq", "metric_frames", ["run_id", "name", "seq"])
    op.create_table(
        "segments",
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("parent", sa.BigInteger(), nullable=True),
        sa.Column("operator", sa.String(length=50), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("hyperparams_before", sa.JSON(), nullable=True),
        sa.Column("hyperparams", sa.JSON(), nullable=False),
        sa.Column("fitness", sa.Double(), nullable=True),
        sa.Column("parent_fitness", sa.Double(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("weights", sa.String(length=200), nullable=False),
        sa.Column("start_step", sa.BigInteger(), nullable=False),
        sa.Column("start_wall", sa.Double(), nullable=False),
        sa.Column("end_step", sa.BigInteger(), nullable=True),
        sa.Column("end_seq", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_segments_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "id", name="pk_segments"),
    )
    op.create_index("ix_segments_run_id_slot", "segments", ["run_id", "slot"])
    op.create_table(
        "log_lines",
        sa.Column("id", KEY, nullable=False),
        sa.Column("run_id", KEY, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("wall", sa.Double(), nullable=False),
        sa.Column("stream", sa.String(length=20), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "attempt"],
            ["attempts.run_id", "attempts.number"],
            name="fk_log_lines_run_id_attempts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_log_lines"),
        sa.UniqueConstraint("run_id", "attempt", "line", name="uq_log_lines_run_id_attempt_line"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_log_lines_run_id_id", "log_lines", ["run_id", "id"])


def downgrade() -> None:
    op.drop_table("log_lines")
    op.drop_table("segments")
    op.drop_table("metric_frames")
    op.drop_table("events")
    op.drop_table("attempts")
    op.drop_table("artifacts")
    op.drop_table("runs")
    op.drop_table("workers")
    op.drop_table("experiments")
