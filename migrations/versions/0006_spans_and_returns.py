"""spans and returns

A stretch of lineage is a span (a segment is a block of training), and what an evaluation measured is a return (fitness
is what selection ranks by). Events that were stored under the old names are rewritten.
"""

import json
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

RETURNS = ("best", "last", "median")
RENAMED = {"lineage": ("segments", "spans"), "video": ("segment", "span"), "finished": ("best_fitness", "fitness")}
"""By kind of event: a field's name before and after."""

EVENTS = sa.table("events", sa.column("run_id"), sa.column("seq"), sa.column("kind"), sa.column("payload"))


def upgrade() -> None:
    _rename_table("segments", "spans")
    for name in RETURNS:
        op.alter_column("runs", f"{name}_fitness", new_column_name=f"{name}_return")
    _rewrite_events(lambda names: names)


def downgrade() -> None:
    _rewrite_events(lambda names: names[::-1])
    for name in RETURNS:
        op.alter_column("runs", f"{name}_return", new_column_name=f"{name}_fitness")
    _rename_table("spans", "segments")


def _rename_table(old: str, new: str) -> None:
    op.drop_index(f"ix_{old}_run_id_slot", old)
    op.rename_table(old, new)
    op.create_index(f"ix_{new}_run_id_slot", new, ["run_id", "slot"])
    if op.get_bind().dialect.name == "postgresql":  # SQLite cannot rename a constraint, and needs none of their names
        for constraint in ("pk_{}", "fk_{}_run_id_runs"):
            names = constraint.format(old), constraint.format(new)
            op.execute(sa.text(f"ALTER TABLE {new} RENAME CONSTRAINT {names[0]} TO {names[1]}"))


def _rewrite_events(direction: Callable[[tuple[str, str]], tuple[str, ...]]) -> None:
    bind = op.get_bind()
    for kind, names in RENAMED.items():
        old, new = direction(names)
        rows = bind.execute(sa.select(EVENTS).where(EVENTS.c.kind == kind)).all()
        for row in rows:
            payload: dict[str, Any] = json.loads(row.payload)
            if old in payload:
                payload[new] = payload.pop(old)
                place = (EVENTS.c.run_id == row.run_id) & (EVENTS.c.seq == row.seq)
                bind.execute(sa.update(EVENTS).where(place).values(payload=json.dumps(payload)))
