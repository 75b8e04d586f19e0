"""things that are deleted but not yet swept, and how many checkpoints a project keeps"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
DELETABLE = ("groups", "experiments", "jobs", "runs", "studies")
SWEPT = ("groups", "experiments", "jobs")
"""Asked for by the sweeper; runs and studies go with their jobs."""


def upgrade() -> None:
    for table in DELETABLE:
        op.add_column(table, sa.Column("deleted_at", TIME, nullable=True))
    is_deleted = sa.text("deleted_at IS NOT NULL")
    for table in SWEPT:
        op.create_index(
            op.f(f"ix_{table}_deleted_at"),
            table,
            ["deleted_at"],
            sqlite_where=is_deleted,
            postgresql_where=is_deleted,
        )
    op.add_column("projects", sa.Column("checkpoints_kept", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("projects", "checkpoints_kept")
    for table in SWEPT:
        op.drop_index(op.f(f"ix_{table}_deleted_at"), table)
    for table in reversed(DELETABLE):
        op.drop_column(table, "deleted_at")
