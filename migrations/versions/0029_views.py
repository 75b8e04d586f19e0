"""saved views of the experiments table"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "views",
        sa.Column("id", KEY, nullable=False),
        sa.Column("owner_id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("layout", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_views_owner_id_users", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_views_project_id_projects", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_views"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_views_owner_id", "views", ["owner_id"])
    op.create_index("ix_views_project_id", "views", ["project_id"])


def downgrade() -> None:
    op.drop_table("views")
