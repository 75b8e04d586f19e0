"""jobs that yield, pause and go on, what each attempt came to, and budgets that were extended"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def columns() -> dict[str, tuple[sa.Column[Any], ...]]:
    """New at each call: a column belongs to one statement."""
    return {
        "jobs": (sa.Column("yield_to", sa.String(length=20), nullable=True),),
        "attempts": (
            sa.Column("checkpoint", sa.String(length=200), nullable=True),
            sa.Column("from_step", sa.BigInteger(), nullable=True),
            sa.Column("to_step", sa.BigInteger(), nullable=True),
            sa.Column("outcome", sa.JSON(), nullable=True),
        ),
        "runs": (sa.Column("extended_budget", sa.JSON(), nullable=True),),
    }


def upgrade() -> None:
    for table, added in columns().items():
        for column in added:
            op.add_column(table, column)


def downgrade() -> None:
    for table, added in columns().items():
        for column in reversed(added):
            op.drop_column(table, column.name)
