"""Which reader is meant by which files."""

from collections.abc import Callable

from phylon.contract.imports import ImportFormat
from phylon.imports import csv_results, ray_results, sr_sac, tensorboard
from phylon.imports.results import Files, ImportedResults, ImportRefused

Reader = Callable[[Files, str | None], ImportedResults]

READERS: dict[ImportFormat, Reader] = {
    ImportFormat.CSV: csv_results.read,
    ImportFormat.SR_SAC: sr_sac.read,
    ImportFormat.RAY: ray_results.read,
    ImportFormat.TENSORBOARD: tensorboard.read,
}

# In this order: Ray writes event files too, and its progress.csv is a CSV file.
_BELONGS: dict[ImportFormat, Callable[[str], bool]] = {
    ImportFormat.RAY: ray_results.is_result_file,
    ImportFormat.TENSORBOARD: tensorboard.is_event_file,
    ImportFormat.SR_SAC: sr_sac.is_seed_file,
    ImportFormat.CSV: lambda path: path.lower().endswith(".csv"),
}


def recognise(paths: list[str]) -> ImportFormat:
    """By names alone, so that nothing else has to be read or sent."""
    for format, belongs in _BELONGS.items():
        if any(belongs(path) for path in paths):
            return format
    raise ImportRefused(
        "none of these files is known: expected *.csv, 0.txt, 1.txt, …, Ray Tune's progress.csv or result.json, or "
        "TensorBoard's *tfevents*"
    )


def files_of(format: ImportFormat, paths: list[str]) -> list[str]:
    """Those of the files that the format reads."""
    return [path for path in paths if _BELONGS[format](path)]


def read(format: ImportFormat, files: Files, return_name: str | None) -> ImportedResults:
    if not files_of(format, list(files)):
        raise ImportRefused(f"none of these files is of the format {format.value}; leave the format to be recognised")
    return READERS[format](files, return_name)
