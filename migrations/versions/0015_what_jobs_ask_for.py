"""what jobs ask for and workers offer, and the shares of projects

Jobs that exist ask for one device of any kind; workers that exist offer one slot.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def columns() -> dict[str, tuple[sa.Column[Any], ...]]:
    """New at each call: a column belongs to one statement."""
    return {
        "jobs": (
            sa.Column("priority", sa.String(length=10), nullable=False, server_default="normal"),
            sa.Column("devices", sa.Integer(), nullable=False, server_default="1"),
            sa.Column("device", sa.String(length=10), nullable=False, server_default="any"),
            sa.Column("memory_bytes", sa.BigInteger(), nullable=True),
            sa.Column("labels", sa.JSON(), nullable=False, server_default="[]"),
            sa.Column("not_before", TIME, nullable=True),
            sa.Column("slots", sa.JSON(), nullable=True),
        ),
        "workers": (
            sa.Column("slots", sa.Integer(), nullable=False, server_default="1"),
            sa.Column("labels", sa.JSON(), nullable=False, server_default="[]"),
            sa.Column("draining_since", TIME, nullable=True),
            sa.Column("quarantined_at", TIME, nullable=True),
            sa.Column("quarantine_reason", sa.Text(), nullable=True),
        ),
        "projects": (
            sa.Column("weight", sa.Double(), nullable=False, server_default="1"),
            sa.Column("max_running", sa.Integer(), nullable=True),
            sa.Column("weekly_device_hours", sa.Double(), nullable=True),
            sa.Column("allows_preemption", sa.Boolean(), nullable=False, server_default=sa.false()),
        ),
    }


def upgrade() -> None:
    for table, added in columns().items():
        for column in added:
            op.add_column(table, column)


def downgrade() -> None:
    for table, added in columns().items():
        for column in reversed(added):
            op.drop_column(table, column.name)
