"""where sign-ins come from, and who let a worker in

So that people recognise their own sign-ins, and a team knows whose machine a worker is.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sign_ins", sa.Column("address", sa.String(length=45), nullable=True))
    op.add_column("sign_ins", sa.Column("browser", sa.String(length=300), nullable=True))
    op.add_column("workers", sa.Column("enrolled_by", sa.String(length=100), nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "enrolled_by")
    op.drop_column("sign_ins", "browser")
    op.drop_column("sign_ins", "address")
