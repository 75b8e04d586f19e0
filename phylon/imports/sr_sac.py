"""SR-SAC's results: a directory with `0.txt`, `1.txt`, …, one file per seed; see `phylon.export.seed_files`."""

from pathlib import PurePosixPath

from phylon.export.seed_files import SeedFileDamaged, parse_seed_file
from phylon.imports.results import Files, ImportedResults, ImportedRun, ImportRefused, series_of
from phylon.returns import RETURN


def read(files: Files, return_name: str | None) -> ImportedResults:
    del return_name  # lines have no names
    numbered = {PurePosixPath(path): content for path, content in files.items() if is_seed_file(path)}
    folders = {path.parent for path in numbered}
    if len(folders) > 1:
        named = ", ".join(sorted(map(str, folders))[:5])
        raise ImportRefused(f"the files are of several tasks ({named}, …); import each directory by itself")
    runs = [
        _run(int(path.stem), path, content)
        for path, content in sorted(numbered.items(), key=lambda file: int(file[0].stem))
    ]
    folder = next(iter(folders), PurePosixPath(".")).name
    return ImportedResults(runs, "the second number of each line", environment=folder or None)


def is_seed_file(path: str) -> bool:
    return PurePosixPath(path).suffix == ".txt" and PurePosixPath(path).stem.isdecimal()


def _run(seed: int, path: PurePosixPath, content: bytes) -> ImportedRun:
    try:
        found = parse_seed_file(content.decode("utf-8", errors="replace"), str(path))
    except SeedFileDamaged as error:
        raise ImportRefused(str(error)) from None
    if not found.steps.size:
        raise ImportRefused(f"{path} is empty; leave it out")
    return ImportedRun(seed, {RETURN: series_of(found.steps.tolist(), None, found.returns.tolist())})
