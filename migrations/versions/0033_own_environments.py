"""environments of the modules that a worker's operator allowed"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("environments", sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("workers", "environments")
