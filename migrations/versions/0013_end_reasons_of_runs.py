"""end reasons of runs

Which limit of its budget a finished run reached first. There was only one before: the steps.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("end_reason", sa.String(20), nullable=True))
    op.execute("UPDATE runs SET end_reason = 'budget' WHERE job_id IN (SELECT id FROM jobs WHERE status = 'finished')")


def downgrade() -> None:
    op.drop_column("runs", "end_reason")
