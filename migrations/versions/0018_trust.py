"""attempts come back with progress, and workers can be quarantined and drained at once

What a job has used of its attempts is counted since its last progress. It was counted from its beginning, so jobs that
exist keep what they have used until they next make progress.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0016"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("jobs", sa.Column("attempts_used", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE jobs SET attempts_used = attempt - handed_back")
    op.drop_column("jobs", "handed_back")
    op.add_column("jobs", sa.Column("forgiven_attempt", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("progressed_to", sa.BigInteger(), nullable=False, server_default="-1"))
    op.add_column("attempts", sa.Column("progress_at", TIME, nullable=True))
    op.add_column("workers", sa.Column("draining_at_once", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("workers", sa.Column("quarantine_jobs", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("workers", sa.Column("released_at", TIME, nullable=True))
    op.add_column("workers", sa.Column("left_at", TIME, nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "left_at")
    op.drop_column("workers", "released_at")
    op.drop_column("workers", "quarantine_jobs")
    op.drop_column("workers", "draining_at_once")
    op.drop_column("attempts", "progress_at")
    op.drop_column("jobs", "progressed_to")
    op.drop_column("jobs", "forgiven_attempt")
    op.add_column("jobs", sa.Column("handed_back", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE jobs SET handed_back = attempt - attempts_used")
    op.drop_column("jobs", "attempts_used")
