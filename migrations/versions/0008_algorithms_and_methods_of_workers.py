"""algorithms and methods of workers

Plug-ins bring both, so a worker reports which ones it has.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("algorithms", "methods"):
        op.add_column("workers", sa.Column(name, sa.JSON(), nullable=True))


def downgrade() -> None:
    for name in ("methods", "algorithms"):
        op.drop_column("workers", name)
