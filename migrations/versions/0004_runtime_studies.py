"""runtime studies"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "studies",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("machine", sa.JSON(), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("wanted_worker_id", KEY, nullable=True),
        sa.Column("dispatched_at", TIME, nullable=True),
        sa.Column("dispatched_to", sa.String(length=10), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("lost_attempts", sa.Integer(), nullable=False),
        sa.Column("worker_id", KEY, nullable=True),
        sa.Column("worker_name", sa.String(length=200), nullable=True),
        sa.Column("lease_expires_at", TIME, nullable=True),
        sa.Column("started_at", TIME, nullable=True),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("progress", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["wanted_worker_id"], ["workers.id"], name="fk_studies_wanted_worker_id_workers"),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name="fk_studies_worker_id_workers"),
        sa.PrimaryKeyConstraint("id", name="pk_studies"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_studies_status_id", "studies", ["status", "id"])
    op.create_index("ix_studies_worker_id", "studies", ["worker_id"])
    op.create_table(
        "study_measurements",
        sa.Column("study_id", KEY, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studies.id"], name="fk_study_measurements_study_id_studies", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "position", name="pk_study_measurements"),
    )


def downgrade() -> None:
    op.drop_table("study_measurements")
    op.drop_index("ix_studies_worker_id", table_name="studies")
    op.drop_index("ix_studies_status_id", table_name="studies")
    op.drop_table("studies")
