"""algorithms and methods of workers

Plug-ins bring both, so a worker reports which ones it has. The method that follows a found schedule is called
`schedule`, as in the spec; it was `replay`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("algorithms", "methods"):
        op.add_column("workers", sa.Column(name, sa.JSON(), nullable=True))
    op.execute("UPDATE experiments SET method = 'schedule' WHERE method = 'replay'")


def downgrade() -> None:
    op.execute("UPDATE experiments SET method = 'replay' WHERE method = 'schedule'")
    for name in ("methods", "algorithms"):
        op.drop_column("workers", name)
