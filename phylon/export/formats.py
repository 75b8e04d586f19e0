"""Which tables there are, and in which formats they are written."""

from collections.abc import Callable, Iterator
from typing import Literal

from phylon.export.csv_format import csv_chunks
from phylon.export.parquet_format import parquet_chunks
from phylon.export.tables import Table

TableName = Literal["metrics", "lineage", "interruptions"]
Format = Literal["csv", "parquet"]

CHUNKS: dict[Format, Callable[[Table], Iterator[bytes]]] = {"csv": csv_chunks, "parquet": parquet_chunks}
"""How a table becomes the bytes of a file."""
