"""owners and projects

Everything that is stored belongs to someone and to a project. What was stored before, and whatever a service without
accounts stores, belongs to the local user (number 1) and the default project (number 1).
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from phylon.migrations.numbers import highest_number, set_highest_number

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
OWNED = ("jobs", "experiments", "groups")
REFERRED = {"owner_id": "users", "project_id": "projects"}


def upgrade() -> None:
    users = op.create_table(
        "users",
        sa.Column("id", KEY, nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("disabled_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
        sqlite_autoincrement=True,
    )
    projects = op.create_table(
        "projects",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("name", name="uq_projects_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "memberships",
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("user_id", KEY, nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_memberships_project_id_projects", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_memberships_user_id_users", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id", "user_id", name="pk_memberships"),
    )
    op.create_index("ix_memberships_user_id", "memberships", ["user_id"])
    at = datetime.now(UTC)
    local = {"email": "local@localhost", "name": "local", "is_admin": True, "created_at": at}
    op.bulk_insert(users, [local])
    op.bulk_insert(projects, [{"name": "default", "created_at": at}])
    numbers = {table: highest_number(table) for table in OWNED}
    for table in OWNED:
        for column in REFERRED:
            op.add_column(table, sa.Column(column, KEY, nullable=True))
            op.execute(f"UPDATE {table} SET {column} = 1")
        with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
            for column, referred in REFERRED.items():
                batch.alter_column(column, existing_type=KEY, nullable=False)
                batch.create_foreign_key(f"fk_{table}_{column}_{referred}", referred, [column], ["id"])
        op.create_index(f"ix_{table}_owner_id", table, ["owner_id"])
        op.create_index(f"ix_{table}_project_id", table, ["project_id"])
        set_highest_number(table, numbers[table])


def downgrade() -> None:
    numbers = {table: highest_number(table) for table in OWNED}
    for table in OWNED:
        op.drop_index(f"ix_{table}_project_id", table)
        op.drop_index(f"ix_{table}_owner_id", table)
        with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
            for column, referred in REFERRED.items():
                batch.drop_constraint(f"fk_{table}_{column}_{referred}", type_="foreignkey")
                batch.drop_column(column)
        set_highest_number(table, numbers[table])
    op.drop_table("memberships")
    op.drop_table("projects")
    op.drop_table("users")
