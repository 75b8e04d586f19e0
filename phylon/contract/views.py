"""Saved views of the experiments table."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from phylon.contract.accounts import Name, PersonName, ProjectName
from phylon.contract.base import ReadModel, Request

ColumnName = Annotated[str, Field(max_length=250)]


class ViewLayout(Request):
    """How a view is shown."""

    columns: Annotated[list[ColumnName], Field(max_length=60)]
    sort: ColumnName | None
    """A column, with a minus before it for the greatest first."""
    group_by: ColumnName | None


class NewView(Request):
    name: Name
    query: Annotated[str, Field(max_length=2000)]
    layout: ViewLayout
    project: str | None = None
    """The name of the project whose members are to see it; none for oneself alone."""


class ViewChange(Request):
    """What is not named stays as it is."""

    name: Name | None = None
    query: Annotated[str, Field(max_length=2000)] | None = None
    layout: ViewLayout | None = None


class SavedView(ReadModel):
    id: int
    name: str
    query: str
    layout: ViewLayout
    owner: PersonName
    project: ProjectName | None
    """Whose members see it; none for its owner alone."""
    created_at: datetime
