"""experiments whose results are from elsewhere"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("experiments", sa.Column("import_format", sa.String(length=20), nullable=True))
    op.add_column("experiments", sa.Column("import_source", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("experiments") as table:
        table.drop_column("import_source")
        table.drop_column("import_format")
