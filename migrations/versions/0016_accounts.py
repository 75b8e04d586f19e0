"""sign-ins, tokens, one-time codes, the audit log, and credentials of workers

Idempotency keys belong to a user. They live for a day, so those that exist are let go.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "sign_ins",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("user_id", KEY, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_seen_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_ins_user_id_users", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("sha256", name="pk_sign_ins"),
    )
    op.create_index("ix_sign_ins_user_id", "sign_ins", ["user_id"])
    op.create_table(
        "sign_in_failures",
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("blocked_until", TIME, nullable=False),
        sa.PrimaryKeyConstraint("email", name="pk_sign_in_failures"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", KEY, nullable=False),
        sa.Column("user_id", KEY, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_tokens_user_id_users", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("sha256", name="uq_tokens_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
    op.create_table(
        "one_time_codes",
        sa.Column("id", KEY, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("project_id", KEY, nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_one_time_codes_project_id_projects"),
        sa.PrimaryKeyConstraint("id", name="pk_one_time_codes"),
        sa.UniqueConstraint("sha256", name="uq_one_time_codes_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit_records",
        sa.Column("id", KEY, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor_id", KEY, nullable=True),
        sa.Column("actor", sa.String(length=254), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=True),
        sa.Column("action", sa.String(length=50), nullable=False),
        sa.Column("target", sa.String(length=300), nullable=False),
        sa.Column("project_id", KEY, nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name="fk_audit_records_actor_id_users"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_audit_records_project_id_projects"),
        sa.PrimaryKeyConstraint("id", name="pk_audit_records"),
        sqlite_autoincrement=True,
    )
    _keep_audit_records()
    op.add_column("workers", sa.Column("credential_sha256", sa.String(length=64), nullable=True))
    op.add_column("workers", sa.Column("machine", sa.String(length=200), nullable=True))
    op.add_column("workers", sa.Column("revoked_at", TIME, nullable=True))
    op.create_index("uq_workers_credential_sha256", "workers", ["credential_sha256"], unique=True)
    op.drop_table("idempotency_keys")
    _create_idempotency_keys(of_users=True)


def downgrade() -> None:
    op.drop_table("idempotency_keys")
    _create_idempotency_keys(of_users=False)
    op.drop_index("uq_workers_credential_sha256", "workers")
    for column in ("revoked_at", "machine", "credential_sha256"):
        op.drop_column("workers", column)
    for table in ("audit_records", "one_time_codes", "tokens", "sign_in_failures", "sign_ins"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION keep_audit_records")


def _keep_audit_records() -> None:
    refusal = "audit records are never changed"
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE OR REPLACE FUNCTION keep_audit_records() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{refusal}'; END $$"
        )
        op.execute(
            "CREATE TRIGGER keep_audit_records BEFORE UPDATE OR DELETE ON audit_records "
            "FOR EACH ROW EXECUTE FUNCTION keep_audit_records()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER keep_audit_records_{change.lower()} BEFORE {change} ON audit_records "
            f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
        )


def _create_idempotency_keys(of_users: bool) -> None:
    owner: tuple[sa.schema.SchemaItem, ...] = (
        sa.Column("user_id", KEY, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_idempotency_keys_user_id_users"),
    )
    op.create_table(
        "idempotency_keys",
        *(owner if of_users else ()),
        sa.Column("route", sa.String(length=50), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint(*(["user_id"] if of_users else []), "route", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])
