"""checks of environments"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "environment_checks",
        sa.Column("id", KEY, nullable=False),
        sa.Column("job_id", KEY, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("suite", sa.String(length=50), nullable=False),
        sa.Column("environment", sa.String(length=200), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_environment_checks_job_id_jobs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_environment_checks"),
        sa.UniqueConstraint("job_id", name="uq_environment_checks_job_id"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("environment_checks")
    for table in ("artifacts", "log_lines", "events", "attempts"):  # an older service knows no such jobs
        op.execute(f"DELETE FROM {table} WHERE job_id IN (SELECT id FROM jobs WHERE kind = 'environment_check')")
    op.execute("DELETE FROM jobs WHERE kind = 'environment_check'")
