"""Tables of a run as files, written while they are sent: neither the run nor the file has to fit in memory."""

from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.export import repository
from phylon.backend.kit.errors import PlatformError
from phylon.backend.metrics import history
from phylon.backend.metrics import repository as metrics
from phylon.backend.models import Experiment, Run
from phylon.backend.runs import repository as runs
from phylon.contract.lineage import LineageSpan
from phylon.contract.runs import Interruption
from phylon.export.formats import CHUNKS, Format, TableName
from phylon.export.interruptions import interruptions_table
from phylon.export.lineage import Categories, categories_of, lineage_table
from phylon.export.metrics import NamedSeries, metrics_table
from phylon.export.parquet_format import PyarrowMissing
from phylon.export.tables import Table
from phylon.series import Series
from phylon.spec import parse_accepted

_SPANS_PER_PAGE = 1000
"""In a page."""


class FormatUnavailable(PlatformError):
    """This service cannot write that format."""

    status_code = 501

    def __init__(self, error: PyarrowMissing) -> None:
        super().__init__(f"This service cannot do that: {error}.", "Export as CSV, or install it beside the API.")


def chunks(
    session: Session, viewer: Viewer, run_id: int, table: TableName, format: Format
) -> tuple[str, Iterator[bytes]]:
    """The name of a file and its content, read from the session page by page."""
    run = runs.get_with_experiment(session, viewer, run_id)
    try:
        content = CHUNKS[format](_table(session, run, table))
    except PyarrowMissing as error:
        raise FormatUnavailable(error) from None
    return f"{run.experiment.name}-run-{run.id}-{table}.{format}", content


def _table(session: Session, run: Run, table: TableName) -> Table:
    if table == "metrics":
        return metrics_table(_series(session, run), run.population_size)
    if table == "interruptions":
        return interruptions_table([Interruption.model_validate(each) for each in run.interruptions])
    return lineage_table(lambda: _spans(session, run), _categories(run.experiment))


def _categories(experiment: Experiment) -> Categories:
    """What was trained elsewhere has no spec of ours to say so."""
    return {} if experiment.import_format is not None else categories_of(parse_accepted(experiment.spec).algorithm)


def _series(session: Session, run: Run) -> Iterator[NamedSeries]:
    for name in metrics.names(session, run.id):
        for page in history.pages(session, run.id, name):
            yield name, Series(page.steps, page.walls, page.values.astype(np.float64))


def _spans(session: Session, run: Run) -> Iterable[list[LineageSpan]]:
    for page in repository.spans(session, run.id, _SPANS_PER_PAGE):
        yield [LineageSpan.model_validate(span, from_attributes=True) for span in page]
