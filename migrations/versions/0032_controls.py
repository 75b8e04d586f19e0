"""groups of controls, which answer whether tuning helped a run"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "control_groups",
        sa.Column("group_id", KEY, nullable=False),
        sa.Column("run_id", KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name="fk_control_groups_group_id_groups", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_control_groups_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("group_id", name="pk_control_groups"),
    )
    op.create_index("ix_control_groups_run_id", "control_groups", ["run_id"])


def downgrade() -> None:
    op.drop_table("control_groups")
