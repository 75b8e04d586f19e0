"""Tables as Parquet, by pyarrow, which is an optional package: `pip install 'phylon[export]'`."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from phylon.export.tables import Kind, Table

ROW_GROUP = 200_000
"""Rows that are gathered before they are written: small groups make large files that are slow to read."""

_TYPES: dict[Kind, str] = {"text": "string", "integer": "int64", "single": "float32", "double": "float64"}


class PyarrowMissing(ImportError):
    """Nothing was written."""

    def __init__(self) -> None:
        super().__init__("Parquet needs pyarrow, which is not installed here; run: pip install 'phylon[export]'")


def parquet_chunks(table: Table) -> Iterator[bytes]:
    """The file, one piece a group of rows. Raises `PyarrowMissing` at once, not at the first piece."""
    try:
        pyarrow = import_module("pyarrow")
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise PyarrowMissing from None
    return _chunks(table, pyarrow, parquet)


def _chunks(table: Table, pyarrow: Any, parquet: Any) -> Iterator[bytes]:
    types = [(column.name, pyarrow.type_for_alias(_TYPES[column.kind])) for column in table.columns]
    schema = pyarrow.schema(types)
    outbox = _Outbox()
    gathered: list[Any] = []
    rows = 0
    with parquet.ParquetWriter(outbox, schema) as writer:
        for batch in table.batches:
            arrays = [pyarrow.array(values, type) for values, (_, type) in zip(batch, types, strict=True)]
            gathered.append(pyarrow.record_batch(arrays, schema=schema))
            rows += len(batch[0])
            if rows >= ROW_GROUP:
                writer.write_table(pyarrow.Table.from_batches(gathered), row_group_size=rows)
                gathered, rows = [], 0
                yield outbox.take()
        if gathered:
            writer.write_table(pyarrow.Table.from_batches(gathered), row_group_size=max(1, rows))
    yield outbox.take()


class _Outbox:
    """A file to pyarrow, whose bytes are taken away as they come."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        self._position += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        return self._position

    def flush(self) -> None: ...

    def close(self) -> None: ...
