"""groups of experiments"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "groups",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_groups"),
        sqlite_autoincrement=True,
    )
    # Inline, since SQLite adds a key in no other way but by copying the table, and dropping the old copy would delete
    # all runs. Such a key is reflected without what it does on deletion, so it has none: the service deletes.
    group = sa.ForeignKey("groups.id", name="fk_experiments_group_id_groups")
    op.add_column("experiments", sa.Column("group_id", KEY, group, nullable=True), inline_references=True)
    op.create_index("ix_experiments_group_id", "experiments", ["group_id"])


def downgrade() -> None:
    op.drop_index("ix_experiments_group_id", "experiments")
    with op.batch_alter_table("experiments", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("group_id")
    op.drop_table("groups")
