"""Experiments over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.accounts.rights import NotYours
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.experiments import organising, service, table
from phylon.backend.experiments.service import ExperimentActive
from phylon.backend.experiments.table import ColumnRefused, QueryRefused, Wanted
from phylon.backend.idempotency import OnceDep
from phylon.backend.jobs.action_endpoints import add_actions
from phylon.backend.kit.errors import Forbidden, Invalid, NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import LARGEST, After, Id, Limit, Number
from phylon.backend.queue.admission import NoWorkerFits
from phylon.backend.runs.extension import RunNotExtendable
from phylon.contract.base import Page
from phylon.contract.experiments import (
    BulkReport,
    BulkRequest,
    Experiment,
    ExperimentChange,
    ExperimentRow,
    FieldDescription,
    FromSpec,
    FromYaml,
    StarChange,
    ValueCount,
)
from phylon.contract.runs import Extension
from phylon.contract.vocabulary import ExperimentStatus

router = APIRouter(prefix="/experiments", tags=["experiments"])
add_actions(router, "experiment", Experiment, service.act)

QueryText = Annotated[
    str | None, Query(max_length=2000, description="E.g. `algorithm = td3 and env ~ cheetah and final > 3000`.")
]
ColumnName = Annotated[str, Query(max_length=250)]
Sort = Annotated[
    str | None, Query(max_length=251, description="A column, with a minus before it for the greatest first.")
]
LongAfter = Annotated[str | None, Query(max_length=1000, description="`next` of the page before.")]
MostFields = Annotated[int, Query(ge=1, le=10_000)]


@router.post("", status_code=201, responses=responses(Invalid, NotMember, NoWorkerFits))
def create_experiment(
    body: FromSpec | FromYaml, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> Experiment:
    return once(body, Experiment, lambda: service.create(session, context, viewer, body))


@router.get("", responses=responses(QueryRefused, ColumnRefused))
def list_experiments(
    session: ReadSession,
    viewer: ViewerDep,
    query: QueryText = None,
    sort: Sort = None,
    column: Annotated[
        list[ColumnName] | None, Query(max_length=60, description="Values that rows are to have.")
    ] = None,
    search: Annotated[str | None, Query(description="A word of the name, environment, algorithm or a tag.")] = None,
    status: ExperimentStatus | None = None,
    group: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    project: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    limit: Limit = 100,
    after: LongAfter = None,
    offset: Annotated[Number, Query(description="Rows to pass over, for a window into a long table.")] = 0,
) -> Page[ExperimentRow]:
    """Those that match, the newest first or sorted by any column; archived ones only where the query says so."""
    wanted = Wanted(query, search, status, group, project, sort, tuple(column or ()))
    return table.list_page(session, viewer, wanted, limit, after, offset)


@router.post("/bulk")
def act_on_experiments(body: BulkRequest, context: ContextDep, viewer: ViewerDep) -> BulkReport:
    """One action on several experiments, each for itself."""
    return organising.act_on_many(context, viewer, body)


@router.get("/fields")
def list_fields(
    session: ReadSession, viewer: ViewerDep, limit: MostFields = 2000, after: After = None
) -> Page[FieldDescription]:
    """What a query may ask about, and a table may show and sort by."""
    return page_of(table.list_fields(session, viewer), limit, after)


@router.get("/counts", responses=responses(QueryRefused, ColumnRefused))
def count_experiments(
    session: ReadSession,
    viewer: ViewerDep,
    by: ColumnName,
    query: QueryText = None,
    limit: Limit = 100,
    after: After = None,
) -> Page[ValueCount]:
    """How many experiments have each value of a column, the most frequent first; at most 500 values."""
    return page_of(table.count_values(session, viewer, query, by, limit=500), limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_experiment(id: Id, session: ReadSession, viewer: ViewerDep) -> Experiment:
    return service.get(session, viewer, id)


@router.post("/{id}/extend", responses=responses(NotFound, Forbidden, Invalid, RunNotExtendable))
def extend_experiment(
    id: Id, body: Extension, session: WriteSession, context: ContextDep, viewer: ViewerDep
) -> Experiment:
    """All its runs, which must have finished or stopped, or none."""
    return service.extend(session, context, viewer, id, body)


@router.patch("/{id}", responses=responses(NotFound, NotYours))
def change_experiment(id: Id, body: ExperimentChange, session: WriteSession, viewer: ViewerDep) -> Experiment:
    """Its name, notes or tags, and whether it is archived."""
    return organising.change(session, viewer, id, body)


@router.put("/{id}/star", responses=responses(NotFound))
def star_experiment(id: Id, body: StarChange, session: WriteSession, viewer: ViewerDep) -> Experiment:
    """For oneself alone."""
    return organising.star(session, viewer, id, body.starred)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, NotYours, ExperimentActive))
def delete_experiment(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.delete(session, viewer, id)
