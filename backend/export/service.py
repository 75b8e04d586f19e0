"""Tables of a run as files, written while they are sent: neither the run nor the file has to fit in memory."""

from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy.orm import Session

from phylon.backend.export import repository
from phylon.backend.kit.errors import PlatformError
from phylon.backend.metrics import repository as metrics
from phylon.backend.metrics.frames import unpack
from phylon.backend.models import Run
from phylon.backend.runs import repository as runs
from phylon.contract.lineage import LineageSpan
from phylon.export.formats import CHUNKS, Format, TableName
from phylon.export.lineage import categories_of, lineage_table
from phylon.export.metrics import ROWS, NamedSeries, metrics_table
from phylon.export.parquet_format import PyarrowMissing
from phylon.export.tables import Table
from phylon.series import Series
from phylon.spec import parse_spec

_SPANS_PER_PAGE = 1000
"""In a page."""


class FormatUnavailable(PlatformError):
    """This service cannot write that format."""

    status_code = 501

    def __init__(self, error: PyarrowMissing) -> None:
        super().__init__(f"This service cannot do that: {error}.", "Export as CSV, or install it beside the API.")


def chunks(session: Session, run_id: int, table: TableName, format: Format) -> tuple[str, Iterator[bytes]]:
    """The name of a file and its content, read from the session page by page."""
    run = runs.get_with_experiment(session, run_id)
    try:
        content = CHUNKS[format](_table(session, run, table))
    except PyarrowMissing as error:
        raise FormatUnavailable(error) from None
    return f"{run.experiment.name}-run-{run.id}-{table}.{format}", content


def _table(session: Session, run: Run, table: TableName) -> Table:
    if table == "metrics":
        return metrics_table(_series(session, run), run.population_size)
    return lineage_table(lambda: _spans(session, run), categories_of(parse_spec(run.experiment.spec).algorithm))


def _series(session: Session, run: Run) -> Iterator[NamedSeries]:
    frames = max(1, ROWS // run.population_size)
    for name in sorted(metrics.names(session, run.id)):  # by code points, which no database's collation changes
        for page in repository.frames(session, run.id, name, frames):
            values = unpack(b"".join(frame.data for frame in page)).reshape(len(page), -1)
            steps = np.array([frame.step for frame in page], np.int64)
            yield name, Series(steps, np.array([frame.wall for frame in page]), values.astype(np.float64))


def _spans(session: Session, run: Run) -> Iterable[list[LineageSpan]]:
    for page in repository.spans(session, run.id, _SPANS_PER_PAGE):
        yield [LineageSpan.model_validate(span, from_attributes=True) for span in page]
