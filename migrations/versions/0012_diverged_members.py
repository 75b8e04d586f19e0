"""diverged members

A member that diverged is set aside instead of failing its run; its span says where and by which number.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("diverged_members", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("spans", sa.Column("diverged", sa.JSON(), nullable=True))
    op.add_column("spans", sa.Column("diverged_seq", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("spans", "diverged_seq")
    op.drop_column("spans", "diverged")
    op.drop_column("runs", "diverged_members")
