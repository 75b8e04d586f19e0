"""Tables as CSV. What has no value is empty; numbers have as many digits as they need to be read back exactly."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from phylon.export.tables import Table, Values


def csv_chunks(table: Table) -> Iterator[bytes]:
    """The file, one piece a batch."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for batch in table.batches:
        writer.writerows(zip(*map(_plain, batch), strict=True))
        yield _take(text)
    yield _take(text)


def _plain(values: Values) -> list[Any]:
    if isinstance(values, list):
        return values
    # As Python numbers, 32 bits would be written with the digits of 64: 0.10000000149011612 instead of 0.1.
    return values.astype(str).tolist() if values.dtype == np.float32 else values.tolist()


def _take(text: io.StringIO) -> bytes:
    taken = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return taken
