"""where founders come from: origins of spans, and the runs that an experiment starts from"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0029"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("spans", sa.Column("origin", sa.JSON(), nullable=True))
    op.create_table(
        "experiment_starts",
        sa.Column("experiment_id", KEY, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("run_id", KEY, nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("members", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_experiment_starts_experiment_id_experiments",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_experiment_starts_run_id_runs", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("experiment_id", "place", name="pk_experiment_starts"),
    )
    op.create_index("ix_experiment_starts_run_id", "experiment_starts", ["run_id"])


def downgrade() -> None:
    op.drop_table("experiment_starts")
    with op.batch_alter_table("spans") as spans:
        spans.drop_column("origin")
