"""What can be deleted. A deleted thing is invisible from that moment; `backend.sweeping` removes its rows bit by bit.

To delete a long run at once would hold SQLite's write lock for all that time, in which no worker can renew its lease.
"""

from datetime import datetime

from sqlalchemy import Index, event
from sqlalchemy.orm import Mapped, ORMExecuteState, Session, mapped_column, with_loader_criteria

from phylon.backend.kit.columns import Timestamp

INCLUDE_DELETED = "include_deleted"
"""Execution option of statements that ask for deleted things as well."""


class Deletable:
    deleted_at: Mapped[datetime | None] = mapped_column(Timestamp, default=None)


def index_deleted(*models: type[Deletable]) -> None:
    """Of the deleted ones alone: an index of all would tempt SQLite to look there for those that are not."""
    for model in models:
        is_deleted = model.deleted_at.is_not(None)
        Index(None, model.deleted_at, sqlite_where=is_deleted, postgresql_where=is_deleted)


@event.listens_for(Session, "do_orm_execute")
def _hide_deleted(state: ORMExecuteState) -> None:
    """Here and not in each query, where one would be forgotten."""
    if state.is_select and not state.is_column_load and not state.execution_options.get(INCLUDE_DELETED, False):
        state.statement = state.statement.options(
            with_loader_criteria(Deletable, lambda model: model.deleted_at.is_(None), include_aliases=True)
        )
