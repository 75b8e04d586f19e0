"""the team's queue: what jobs ask for as one text, places, expectations, and what people have used

A message used to go to all workers of a kind; now one worker is chosen. Jobs that were sent the old way can no longer
be claimed, so the scheduler sends them again after a while. Those that a worker holds occupy its only slot.
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
NO_ASK = '[1, "any", null, null, [], null, null]'
BEFORE_ALL = "1970-01-01 00:00:00"


def columns() -> tuple[sa.Column[Any], ...]:
    """New at each call: a column belongs to one statement."""
    return (
        sa.Column("ask", sa.Text(), nullable=False, server_default=NO_ASK),
        sa.Column("queued_at", TIME, nullable=False, server_default=BEFORE_ALL),
        sa.Column("place", sa.BigInteger(), nullable=True),
        sa.Column("expected_seconds", sa.Double(), nullable=True),
    )


def upgrade() -> None:
    for column in columns():
        op.add_column("jobs", column)
    op.execute("UPDATE jobs SET queued_at = created_at")
    op.execute("UPDATE jobs SET slots = '[0]' WHERE status IN ('running', 'stopping')")
    op.drop_column("jobs", "dispatched_to")
    _write_asks()
    op.create_index(
        "ix_jobs_waiting",
        "jobs",
        ["status", "project_id", "owner_id", "priority", "ask", "queued_at", "not_before", "expected_seconds"],
    )
    is_moved = sa.text("place IS NOT NULL")
    op.create_index("ix_jobs_moved", "jobs", ["place"], sqlite_where=is_moved, postgresql_where=is_moved)
    op.add_column("attempts", sa.Column("charged", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.execute(sa.text("UPDATE attempts SET charged = :no WHERE ended_at IS NULL").bindparams(no=False))
    op.create_index(
        "ix_attempts_uncharged",
        "attempts",
        ["job_id"],
        sqlite_where=sa.text("charged = 0"),
        postgresql_where=sa.text("NOT charged"),
    )
    op.create_index("ix_attempts_claimed_at", "attempts", ["claimed_at"])
    op.create_index("ix_attempts_ended_at", "attempts", ["ended_at"])
    op.create_table(
        "usage",
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("user_id", KEY, nullable=False),
        sa.Column("device_seconds", sa.Double(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_usage_project_id_projects", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_usage_user_id_users", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id", "user_id", name="pk_usage"),
    )
    op.create_index("ix_usage_user_id", "usage", ["user_id"])


def _write_asks() -> None:
    """Runs need their parts; studies may be for one worker alone."""
    bind = op.get_bind()
    parts = bind.execute(sa.text("SELECT DISTINCT suite, algorithm, method FROM experiments")).all()
    for suite, algorithm, method in parts:
        ask = json.dumps([1, "any", None, None, [], [suite, algorithm, method], None])
        bind.execute(
            sa.text(
                "UPDATE jobs SET ask = :ask WHERE id IN (SELECT job_id FROM runs JOIN experiments "
                "ON experiments.id = runs.experiment_id WHERE suite = :suite AND algorithm = :algorithm "
                "AND method = :method)"
            ),
            {"ask": ask, "suite": suite, "algorithm": algorithm, "method": method},
        )
    wanted = bind.execute(sa.text("SELECT DISTINCT wanted_worker_id FROM jobs WHERE wanted_worker_id IS NOT NULL"))
    for (worker_id,) in wanted.all():
        ask = json.dumps([1, "any", None, None, [], None, worker_id])
        bind.execute(
            sa.text("UPDATE jobs SET ask = :ask WHERE kind = 'study' AND wanted_worker_id = :worker_id"),
            {"ask": ask, "worker_id": worker_id},
        )


def downgrade() -> None:
    op.drop_table("usage")
    op.drop_index("ix_attempts_ended_at", "attempts")
    op.drop_index("ix_attempts_claimed_at", "attempts")
    op.drop_index("ix_attempts_uncharged", "attempts")
    op.drop_column("attempts", "charged")
    op.drop_index("ix_jobs_moved", "jobs")
    op.drop_index("ix_jobs_waiting", "jobs")
    op.add_column("jobs", sa.Column("dispatched_to", sa.String(length=10), nullable=True))
    for column in reversed(columns()):
        op.drop_column("jobs", column.name)
