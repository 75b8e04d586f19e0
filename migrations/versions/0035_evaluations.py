"""evaluations of policies"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "evaluations",
        sa.Column("id", KEY, nullable=False),
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("environment", sa.String(length=200), nullable=True),
        sa.Column("episodes", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("sample", sa.Boolean(), nullable=True),
        sa.Column("films", sa.Integer(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_evaluations_job_id_jobs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_evaluations"),
        sa.UniqueConstraint("job_id", name="uq_evaluations_job_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "evaluation_policies",
        sa.Column("evaluation_id", KEY, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("run_id", KEY, nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("choice", sa.String(length=10), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("artifact_id", sa.BigInteger(), nullable=False),
        sa.Column("file", sa.String(length=200), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("loaded", sa.JSON(), nullable=True),
        sa.Column("returns", sa.JSON(), nullable=False),
        sa.Column("lengths", sa.JSON(), nullable=False),
        sa.Column("films", sa.JSON(), nullable=False),
        sa.Column("film_problem", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluations.id"],
            name="fk_evaluation_policies_evaluation_id_evaluations",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_evaluation_policies_run_id_runs", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "place", name="pk_evaluation_policies"),
    )
    op.create_index("ix_evaluation_policies_run_id", "evaluation_policies", ["run_id"])


def downgrade() -> None:
    op.drop_table("evaluation_policies")
    op.drop_table("evaluations")
    for table in ("artifacts", "log_lines", "events", "attempts"):  # an older service knows no such jobs
        op.execute(f"DELETE FROM {table} WHERE job_id IN (SELECT id FROM jobs WHERE kind = 'evaluation')")
    op.execute("DELETE FROM jobs WHERE kind = 'evaluation'")
