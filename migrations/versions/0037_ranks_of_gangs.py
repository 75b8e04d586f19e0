"""ranks of gangs"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "ranks",
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("worker_id", KEY, nullable=False),
        sa.Column("slots", sa.JSON(), nullable=False),
        sa.Column("phase", sa.String(length=20), server_default="sent", nullable=False),
        sa.Column("host", sa.String(length=200), nullable=True),
        sa.Column("address", sa.String(length=200), nullable=True),
        sa.Column("heard_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("left", sa.String(length=20), nullable=True),
        sa.Column("seconds_per_segment", sa.Double(), nullable=True),
        sa.Column("next_log_line", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_ranks_job_id_jobs", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name="fk_ranks_worker_id_workers"),
        sa.PrimaryKeyConstraint("job_id", "attempt", "rank", name="pk_ranks"),
    )
    op.create_index("ix_ranks_worker_id", "ranks", ["worker_id"])
    op.add_column("jobs", sa.Column("hosts", sa.Integer(), server_default="1", nullable=False))
    op.add_column("workers", sa.Column("several_ranks", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("log_lines", sa.Column("rank", sa.Integer(), server_default="0", nullable=False))


ERROR = '{"message": "It needs several workers.", "remedy": "Update the service, or submit it for one host."}'


def downgrade() -> None:
    """An older service knows no job of several workers: what waits or runs so has failed there, and says why."""
    op.execute(
        f"UPDATE jobs SET status = 'failed', error = '{ERROR}', slots = NULL, lease_expires_at = NULL, "
        "dispatched_at = NULL, finished_at = CURRENT_TIMESTAMP "
        "WHERE hosts > 1 AND status NOT IN ('finished', 'stopped', 'failed')"
    )
    op.execute("DELETE FROM log_lines WHERE rank > 0")
    op.drop_column("log_lines", "rank")
    op.drop_column("workers", "several_ranks")
    op.drop_column("jobs", "hosts")
    op.drop_table("ranks")
