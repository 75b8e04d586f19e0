"""tags, stars, notes and the archive; what the table of experiments sorts and filters by"""

import json
import math
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0025"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
LONGEST_TEXT = 200
BATCH = 200
SORTED = (
    *("archived_at", "project_id", "deleted_at", "owner_id", "group_id", "name", "suite", "environment", "algorithm"),
    *("method", "population_size", "final_return", "best_return", "last_return", "created_at"),
)


def upgrade() -> None:
    for name in ("final_return", "best_return", "last_return"):
        op.add_column("experiments", sa.Column(name, sa.Double(), nullable=True))
    op.add_column("experiments", sa.Column("notes", sa.Text(), nullable=False, server_default=""))
    op.add_column("experiments", sa.Column("archived_at", TIME, nullable=True))
    op.create_table(
        "tags",
        sa.Column("experiment_id", KEY, nullable=False),
        sa.Column("name", sa.String(length=50), nullable=False),
        _of_experiment("tags"),
        sa.PrimaryKeyConstraint("experiment_id", "name", name="pk_tags"),
    )
    op.create_index("ix_tags_name_experiment_id", "tags", ["name", "experiment_id"])
    op.create_table(
        "stars",
        sa.Column("user_id", KEY, nullable=False),
        sa.Column("experiment_id", KEY, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_stars_user_id_users", ondelete="CASCADE"),
        _of_experiment("stars"),
        sa.PrimaryKeyConstraint("user_id", "experiment_id", name="pk_stars"),
    )
    op.create_index("ix_stars_experiment_id", "stars", ["experiment_id"])
    op.create_table(
        "experiment_values",
        sa.Column("path", sa.String(length=250), nullable=False),
        sa.Column("experiment_id", KEY, nullable=False),
        sa.Column("replicate", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("number", sa.Double(), nullable=True),
        sa.Column("text", sa.String(length=LONGEST_TEXT), nullable=True),
        _of_experiment("experiment_values"),
        sa.PrimaryKeyConstraint("path", "experiment_id", "replicate", name="pk_experiment_values"),
        sqlite_with_rowid=False,
    )
    _write_returns()
    _write_values()
    op.create_index("ix_experiment_values_experiment_id", "experiment_values", ["experiment_id"])
    op.create_index("ix_experiments_table", "experiments", list(SORTED))


def _of_experiment(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_experiment_id_experiments"
    return sa.ForeignKeyConstraint(["experiment_id"], ["experiments.id"], name=name, ondelete="CASCADE")


def _write_returns() -> None:
    """As `backend.experiments.standing` keeps them from now on."""
    bind, after = op.get_bind(), 0
    runs = sa.text(
        "SELECT experiment_id, best_return, last_return, final FROM runs WHERE experiment_id > :after "
        "AND experiment_id <= :last ORDER BY experiment_id"
    )
    change = sa.text(
        "UPDATE experiments SET final_return = :final, best_return = :best, last_return = :last WHERE id = :id"
    )
    while ids := _ids(bind, after):
        found: dict[int, list[list[float]]] = {}
        for id, best, last, final in bind.execute(runs, {"after": after, "last": ids[-1]}):
            kept = found.setdefault(id, [[], [], []])
            # NaN is kept as text on SQLite, and a final return as JSON, which the driver may have read already.
            mean = (json.loads(final) if isinstance(final, str) else final or {}).get("mean") if final else None
            for values, value in zip(kept, (mean, best, last), strict=True):
                if value is not None and not math.isnan(float(value)):
                    values.append(float(value))
        rows = [
            {
                "id": id,
                "final": sum(finals) / len(finals) if finals else None,
                "best": max(bests, default=None),
                "last": max(lasts, default=None),
            }
            for id, (finals, bests, lasts) in found.items()
        ]
        if rows:
            bind.execute(change, rows)
        after = ids[-1]


def _write_values() -> None:
    bind, after = op.get_bind(), 0
    specs = sa.text("SELECT id, spec FROM experiments WHERE id > :after AND id <= :last")
    insert = sa.text(
        "INSERT INTO experiment_values (path, experiment_id, replicate, number, text) "
        "VALUES (:path, :id, 0, :number, :text)"
    )
    while ids := _ids(bind, after):
        rows = [
            {"path": f"spec.{path}"[:250], "id": id, "number": _number(value), "text": _text(value)}
            for id, spec in bind.execute(specs, {"after": after, "last": ids[-1]})
            for path, value in _leaves(json.loads(spec) if isinstance(spec, str) else spec, ())
        ]
        if rows:
            bind.execute(insert, rows)
        after = ids[-1]


def _ids(bind: sa.Connection, after: int) -> list[int]:
    statement = sa.text("SELECT id FROM experiments WHERE id > :after ORDER BY id LIMIT :limit")
    return list(bind.scalars(statement, {"after": after, "limit": BATCH}))


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, str(key)))
    elif value is not None and path:
        yield ".".join(path), value


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _text(value: Any) -> str:
    return (value if isinstance(value, str) else json.dumps(value)).replace("\0", "")[:LONGEST_TEXT]


def downgrade() -> None:
    op.drop_index("ix_experiments_table", "experiments")
    for table in ("experiment_values", "stars", "tags"):
        op.drop_table(table)
    for name in ("archived_at", "notes", "last_return", "best_return", "final_return"):
        op.drop_column("experiments", name)
