"""What a run found, wherever it lies: in a directory of `phylon train` or on the service. Written as files."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from phylon.cli.exits import BadInput, WorkFailed
from phylon.client import Client
from phylon.contract.lineage import RunLineage
from phylon.export.formats import CHUNKS, Format, TableName
from phylon.export.interruptions import interruptions_of_events, interruptions_table
from phylon.export.lineage import categories_of, lineage_table
from phylon.export.metrics import NamedSeries, metrics_table, series_of_csv, series_of_events
from phylon.export.parquet_format import PyarrowMissing
from phylon.export.seed_files import write_seed_files
from phylon.export.tensorboard import write_event_files
from phylon.lineage.assembly import lineage_of_events
from phylon.returns import RETURN
from phylon.run_directory import RUN_FILE
from phylon.spec import ExperimentSpec, parse_accepted
from phylon.spool import SPOOL_FILE, SpoolDamaged, SpoolReader

LINEAGE_FILE = "lineage.json"
TABLES: tuple[TableName, ...] = ("metrics", "lineage", "interruptions")


class Findings(NamedTuple):
    began: float
    """In Unix time."""
    lineage: RunLineage
    method: str
    """The name of the population method."""
    chunks: Callable[[TableName, Format], Iterator[bytes]]
    """A table as a file, piece by piece."""
    series: Callable[[], Iterable[NamedSeries]]


def of_folder(folder: Path) -> Findings:
    spec = spec_of(folder)
    try:
        events = SpoolReader(folder / SPOOL_FILE).read()
    except SpoolDamaged as error:
        raise BadInput(f"{error}; run `phylon train` again with --out {folder} to take it up at a checkpoint") from None
    lineage = lineage_of_events(spec, events)

    def chunks(table: TableName, format: Format) -> Iterator[bytes]:
        if table == "metrics":
            return CHUNKS[format](metrics_table(series_of_events(events), spec.population.size))
        if table == "interruptions":
            return CHUNKS[format](interruptions_table(interruptions_of_events(events)))
        return CHUNKS[format](lineage_table(lambda: [lineage.spans], categories_of(spec.algorithm)))

    began = (folder / RUN_FILE).stat().st_mtime  # written once, just before the first step
    return Findings(began, lineage, spec.population.method.name, chunks, lambda: series_of_events(events))


def of_service(client: Client, run_id: int) -> Findings:
    run = client.run(run_id)

    def chunks(table: TableName, format: Format) -> Iterator[bytes]:
        return client.export(run_id, table, format)

    return Findings(
        (run.started_at or run.created_at).timestamp(),
        client.lineage(run_id),
        client.experiment(run.experiment_id).spec["population"]["method"]["name"],
        chunks,
        lambda: series_of_csv(_lines(chunks("metrics", "csv"))),
    )


def write(findings: Findings, folder: Path, formats: Collection[str]) -> list[str]:
    """What was written into `folder`, by name. A file is complete or not there.

    Formats are those of `CHUNKS`, `tensorboard` and `seeds`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    for format in CHUNKS:
        for table in TABLES if format in formats else ():
            written.append(f"{table}.{format}")
            try:
                write_whole(folder / written[-1], findings.chunks(table, format))
            except PyarrowMissing as error:
                raise WorkFailed(str(error)) from None
    if written:
        written.append(LINEAGE_FILE)
        text = json.dumps(findings.lineage.model_dump(mode="json"), indent=1)
        write_whole(folder / LINEAGE_FILE, [text.encode()])
    if "tensorboard" in formats:
        size = findings.lineage.population_size
        written += [f"{name}/" for name in write_event_files(folder, findings.series(), size, findings.began)]
    if "seeds" in formats:
        returns = [series for name, series in findings.series() if name == RETURN]
        written += write_seed_files(folder, returns, findings.method)
    return written


def write_whole(file: Path, chunks: Iterable[bytes]) -> None:
    partial = file.with_name(file.name + ".part")
    try:
        with partial.open("wb") as handle:
            handle.writelines(chunks)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.decode() for line in whole)


def spec_of(folder: Path) -> ExperimentSpec:
    if (folder / "replicate-0" / RUN_FILE).exists():
        raise BadInput(f"'{folder}' holds several replicates; name one of them, such as {folder / 'replicate-0'}")
    try:
        return parse_accepted(json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))["spec"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            f"'{folder}' holds no run; name a directory that `phylon train` wrote, or a run's number on the service"
        ) from None
