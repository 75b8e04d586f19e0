"""interruptions of runs

Where a run was interrupted and kept its work, from where on its numbers are not those of an undisturbed one. What
earlier versions interrupted is not known.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("interruptions", sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("runs", "interruptions")
