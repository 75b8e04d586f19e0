"""final returns of runs

What the winner of a run earned in episodes that no selection saw. Runs of older versions have none.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("final", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("runs", "final")
