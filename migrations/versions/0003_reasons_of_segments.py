"""reasons of segments"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("segments", sa.Column("reasons", sa.JSON(), server_default="{}", nullable=False))


def downgrade() -> None:
    op.drop_column("segments", "reasons")
