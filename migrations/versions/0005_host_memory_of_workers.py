"""host memory of workers"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("host_memory_bytes", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "host_memory_bytes")
